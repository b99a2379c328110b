/** The caps of one plugin's filesystem broker, each with the attack it stops. */
export interface FilesystemLimits {
  /** Bytes of a path as UTF-8: what Linux takes. Stops paths that are dear to resolve and to log. */
  readonly maxPathBytes: number;
  /** Bytes of one file, by its size and again while it is read. Stops files that grow, or lie. */
  readonly maxFileBytes: number;
  /** Entries of a directory that are told. Stops lists that fill memory. */
  readonly maxEntries: number;
  /** Files open at once. Stops using up this process's descriptors. */
  readonly maxOpenFiles: number;
  /** Reads that wait for one of those to close. Stops a queue that grows without end. */
  readonly maxWaiting: number;
}

export const FILESYSTEM_LIMITS: FilesystemLimits = {
  maxPathBytes: 4096,
  maxFileBytes: 10 * 1024 * 1024,
  maxEntries: 10_000,
  maxOpenFiles: 32,
  maxWaiting: 224,
};
