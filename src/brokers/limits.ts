/** The caps of one plugin's network broker, each with the attack that it stops. */
export interface NetworkLimits {
  /** Characters of a URL. Stops texts that are cheap to send and expensive to parse and log. */
  readonly maxUrlLength: number;
  /** Headers of a request. Stops a plugin that uses us to exhaust a server's parser. */
  readonly maxRequestHeaders: number;
  readonly maxRequestHeaderBytes: number;
  /** Bytes of a request's body. Stops an upload without end from filling a server's disk. */
  readonly maxRequestBytes: number;
  /** Bytes of a request's body to remember in case a redirect needs them again. */
  readonly maxReplayBytes: number;
  /** Headers of a response. Thousands of one-byte names fit into any cap on bytes. */
  readonly maxResponseHeaders: number;
  /** Bytes of a response's headers, and again of its trailers. Stops a header without end. */
  readonly maxResponseHeaderBytes: number;
  /** `1xx` responses before the final one. Stops a server that sends "early hints" forever. */
  readonly maxInformational: number;
  /**
   * Bytes of a response's body, as received and after each decompression. Stops endless bodies, and a
   * kilobyte of gzip that unpacks to a gigabyte.
   */
  readonly maxResponseBytes: number;
  /** Nested content codings, as in `gzip, br`. Each multiplies the cost of a bomb. */
  readonly maxContentCodings: number;
  /** Redirects of one request. Stops circles. */
  readonly maxRedirects: number;
  /** Open requests, until their body is read. Each may use a descriptor and some 400 kB. */
  readonly maxActive: number;
  /** Queued requests. Stops a queue that grows without end. */
  readonly maxQueued: number;
  /** Idle connections to reuse. Stops the hosts of a wildcard from using up descriptors. */
  readonly maxIdleConnections: number;
  /** Milliseconds to resolve a name, connect and shake hands. Stops black holes. */
  readonly connectMs: number;
  /** Milliseconds from the last sent byte to the response's headers. Stops stalling. */
  readonly headersMs: number;
  /** Milliseconds between two chunks of a response's body while the guest waits. Stops dripping. */
  readonly idleMs: number;
  /** Milliseconds for the whole request. Stops slow bytes, and a plugin that stops reading. */
  readonly totalMs: number;
}

const MEBIBYTE = 1024 * 1024;

/** Far above the requirements of an honest plugin. */
export const NETWORK_LIMITS: NetworkLimits = {
  maxUrlLength: 16 * 1024,
  maxRequestHeaders: 128,
  maxRequestHeaderBytes: 32 * 1024,
  maxRequestBytes: 256 * MEBIBYTE,
  maxReplayBytes: 256 * 1024,
  maxResponseHeaders: 256,
  maxResponseHeaderBytes: 64 * 1024,
  maxInformational: 16,
  maxResponseBytes: 256 * MEBIBYTE,
  maxContentCodings: 2,
  maxRedirects: 5,
  maxActive: 64,
  maxQueued: 192,
  maxIdleConnections: 16,
  connectMs: 15_000,
  headersMs: 60_000,
  idleMs: 60_000,
  totalMs: 300_000,
};

/** The caps of one plugin's filesystem broker, each with the attack that it stops. */
export interface FilesystemLimits {
  /** Bytes of a path in UTF-8, as in Linux. Stops paths that are expensive to resolve and log. */
  readonly maxPathBytes: number;
  /** Bytes of one file, by its size and again during the read. Stops files that grow. */
  readonly maxFileBytes: number;
  /** Entries in a list of a directory. Stops lists that fill memory. */
  readonly maxEntries: number;
  /** Open files. Stops using up this process's descriptors. */
  readonly maxOpenFiles: number;
  /** Queued reads. Stops a queue that grows without end. */
  readonly maxQueued: number;
  /** Bytes that a plugin may add to its writable mounts, in all. */
  readonly maxMountBytes: number;
  /** Files and directories that a plugin may add to its writable mounts. */
  readonly maxMountFiles: number;
}

export const FILESYSTEM_LIMITS: FilesystemLimits = {
  maxPathBytes: 4096,
  maxFileBytes: 10 * 1024 * 1024,
  maxEntries: 10_000,
  maxOpenFiles: 32,
  maxQueued: 224,
  maxMountBytes: 1024 * 1024 * 1024,
  maxMountFiles: 100_000,
};

/** The caps of one plugin's storage, each with the attack that it stops. */
export interface StorageLimits {
  /** Bytes of all files together. Stops filling the host's disk. */
  readonly maxBytes: number;
  /** Files and directories. Stops using up the disk's inodes, and lists that fill memory. */
  readonly maxFiles: number;
  /** Bytes of one file. Stops a single write that fills the disk before it is counted. */
  readonly maxFileBytes: number;
  /** Bytes of a path in UTF-8. Stops paths that are expensive to resolve and log. */
  readonly maxPathBytes: number;
  /** Nested directories. Stops deep recursion in our code and in the operator's tools. */
  readonly maxDepth: number;
  /** Operations at a time. Stops using up this process's descriptors. */
  readonly maxActive: number;
  /** Queued operations. Stops a queue that grows without end. */
  readonly maxQueued: number;
  /** Lists at a time. Stops lists of megabytes from filling the host's memory. */
  readonly maxLists: number;
  /** Bytes of one copy of an area. A guest has the copy in memory twice. */
  readonly maxCopyBytes: number;
  /** Copies that were not read to their end. Stops a guest that requests copies and never reads. */
  readonly maxCopies: number;
  /** Bytes of one file in a copy. A few large files would leave no room for many small ones. */
  readonly maxCopyFileBytes: number;
  /** Bytes of one value in the enclave, which is for keys. */
  readonly maxValueBytes: number;
  /** Milliseconds in which the content of one write arrives. Other changes wait for it. */
  readonly contentMs: number;
}

export const STORAGE_LIMITS: StorageLimits = {
  maxBytes: 64 * 1024 * 1024,
  maxFiles: 10_000,
  maxFileBytes: 16 * 1024 * 1024,
  maxPathBytes: 1024,
  maxDepth: 16,
  maxActive: 32,
  maxQueued: 224,
  maxLists: 2,
  maxCopyBytes: 16 * 1024 * 1024,
  maxCopies: 2,
  maxCopyFileBytes: 4 * 1024 * 1024,
  maxValueBytes: 64 * 1024,
  contentMs: 10_000,
};

/** The caps of one plugin's use of powers, each with the attack that it stops. */
export interface PowerLimits {
  /** Bytes of JSON of the arguments. Stops arguments that are expensive to check. */
  readonly maxArgumentBytes: number;
  /** Bytes of JSON of the result. Stops results that fill the guest and the wire. */
  readonly maxResultBytes: number;
  /** Uses at a time. Stops a plugin that takes all of the host's capacity. */
  readonly maxActive: number;
  /** Queued uses. Stops a queue that grows without end. */
  readonly maxQueued: number;
  /** Milliseconds for one use, unless its definition sets another. Stops endless waits. */
  readonly timeoutMs: number;
}

export const POWER_LIMITS: PowerLimits = {
  maxArgumentBytes: 1024 * 1024,
  maxResultBytes: 8 * 1024 * 1024,
  maxActive: 16,
  maxQueued: 64,
  timeoutMs: 60_000,
};
