/**
 * The caps of a pipe between a host and a guest, each with the attack that it stops. They are checked
 * before memory is allocated for the bytes that they count.
 */
export interface WireLimits {
  /** Bytes in one JSON message. Stops a length prefix that makes the receiver allocate gigabytes. */
  readonly maxMessageBytes: number;
  /** Bytes in one stream chunk. Senders split at `CHUNK_BYTES`, which is far lower. */
  readonly maxChunkBytes: number;
  /** Nesting in one message. Stops deep recursion in later code. */
  readonly maxDepth: number;
  /** Values in one message. A megabyte of `[[],[],…` is cheap to send and expensive to parse. */
  readonly maxNodes: number;
  /** Open requests of the other side. Stops a flood that queues without end. */
  readonly maxOpenRequests: number;
  /** Characters of all open requests together. Each may be in memory until it is answered. */
  readonly maxOpenRequestCharacters: number;
  /** Open streams of the other side. Each may use `STREAM_WINDOW_BYTES` of memory. */
  readonly maxOpenStreams: number;
  /**
   * Messages in one second that are neither a request nor the answer to one. Stops a flood that costs
   * the receiver time. An honest guest sends at most `NOTICES_PER_SECOND` notices.
   */
  readonly maxUnsolicitedPerSecond: number;
  /** Characters of those messages together. Stops a flood of large messages. */
  readonly maxUnsolicitedCharactersPerSecond: number;
}

/** What a host accepts from a guest, which it does not trust. */
export const FROM_GUEST: WireLimits = {
  maxMessageBytes: 8 * 1024 * 1024,
  maxChunkBytes: 256 * 1024,
  maxDepth: 200,
  maxNodes: 128_000,
  maxOpenRequests: 256,
  maxOpenRequestCharacters: 96 * 1024 * 1024,
  maxOpenStreams: 160,
  // Most unsolicited messages of honest guests are credits: one for each 64 KiB of a download.
  maxUnsolicitedPerSecond: 50_000,
  maxUnsolicitedCharactersPerSecond: 64 * 1024 * 1024,
};

/** What a guest accepts from its host, which it has to trust. Large enough for a bundle. */
export const FROM_HOST: WireLimits = {
  maxMessageBytes: 128 * 1024 * 1024,
  maxChunkBytes: 256 * 1024,
  // The host caps the bytes that it sends, so that the guest need not count values.
  maxDepth: Infinity,
  maxNodes: Infinity,
  maxOpenRequests: 65_536,
  maxOpenRequestCharacters: Infinity,
  maxOpenStreams: 4_096,
  maxUnsolicitedPerSecond: 10_000_000,
  maxUnsolicitedCharactersPerSecond: 1024 * 1024 * 1024,
};

/**
 * Notices that a guest sends in one second: log lines, faults and denials together. It drops and
 * counts the rest.
 */
export const NOTICES_PER_SECOND: number = 200;

/** Senders split a stream into chunks of this size. */
export const CHUNK_BYTES: number = 64 * 1024;

/** Bytes that a sender may send on one stream before the receiver has read any. */
export const STREAM_WINDOW_BYTES: number = 256 * 1024;

/** Characters of an error's text and of its stack that cross. The rest is cut. */
export const MAX_ERROR_TEXT: number = 8 * 1024;
export const MAX_ERROR_STACK: number = 16 * 1024;
