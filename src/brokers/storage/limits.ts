/** The caps of one plugin's storage, each with the attack it stops. */
export interface StorageLimits {
  /** Bytes of all its files. Stops filling the host's disk. */
  readonly maxBytes: number;
  /** Files and directories. Stops using up the disk's inodes, and lists that fill memory. */
  readonly maxFiles: number;
  /** Bytes of one file. Stops one write from being what fills the disk before it is counted. */
  readonly maxFileBytes: number;
  /** Bytes of a path as UTF-8. Stops paths that are dear to resolve and to log. */
  readonly maxPathBytes: number;
  /** Directories in one another. Stops recursion in whoever walks them: us, and the operator's tools. */
  readonly maxDepth: number;
  /** Operations at once. Stops using up this process's descriptors. */
  readonly maxActive: number;
  /** Operations that wait for one of those. Stops a queue that grows without end. */
  readonly maxWaiting: number;
  /** Lists that are made at once. Stops many of them, megabytes each, from filling the host's memory. */
  readonly maxLists: number;
  /** Bytes that one copy of an area has. Stops a guest from having all of it held in memory twice. */
  readonly maxCopyBytes: number;
  /** Copies that are not read to their end yet. Stops a guest that asks and never reads. */
  readonly maxCopies: number;
  /** Bytes of a file that goes into it: few large ones would leave no room for the many. */
  readonly maxCopyFileBytes: number;
  /** Bytes of one value in the enclave, which is for keys and not for files. */
  readonly maxValueBytes: number;
}

export const STORAGE_LIMITS: StorageLimits = {
  maxBytes: 64 * 1024 * 1024,
  maxFiles: 10_000,
  maxFileBytes: 16 * 1024 * 1024,
  maxPathBytes: 1024,
  maxDepth: 16,
  maxActive: 32,
  maxWaiting: 224,
  maxLists: 2,
  maxCopyBytes: 16 * 1024 * 1024,
  maxCopies: 2,
  maxCopyFileBytes: 4 * 1024 * 1024,
  maxValueBytes: 64 * 1024,
};
