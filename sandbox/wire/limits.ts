/**
 * The caps that hold on every pipe between a host and a guest, each with the attack it stops.
 * They are checked before anything is allocated for the bytes that they count.
 */
export interface WireLimits {
  /** Bytes in one JSON message. Stops a length prefix that makes the receiver allocate gigabytes. */
  readonly maxMessageBytes: number;
  /** Bytes in one stream chunk. Senders split at `CHUNK_BYTES`, far below it. */
  readonly maxChunkBytes: number;
  /** Nesting in one message. Stops recursion in whoever walks the value later. */
  readonly maxDepth: number;
  /** Values in one message. A megabyte of `[[],[],…` is cheap to send, and dear to parse and hold. */
  readonly maxNodes: number;
  /** Requests that the other side may have unanswered. Stops a flood from queueing without end. */
  readonly maxOpenRequests: number;
  /** Characters of all of these together: each may be held until it is answered. */
  readonly maxOpenRequestCharacters: number;
  /** Streams that the other side may have open. Each may hold `STREAM_WINDOW_BYTES` of memory. */
  readonly maxOpenStreams: number;
  /**
   * Messages of one second that are neither a request nor the answer to one. Stops a flood that
   * keeps its receiver busy with reading. An honest guest holds itself to `NOTICES_PER_SECOND`.
   */
  readonly maxUnaskedPerSecond: number;
  /** Characters of those messages together. Stops a flood of few and large ones. */
  readonly maxUnaskedCharactersPerSecond: number;
}

/** What a host accepts from a guest: nothing that it sends is believed. */
export const FROM_GUEST: WireLimits = {
  maxMessageBytes: 8 * 1024 * 1024,
  maxChunkBytes: 256 * 1024,
  maxDepth: 200,
  maxNodes: 128_000,
  maxOpenRequests: 256,
  maxOpenRequestCharacters: 96 * 1024 * 1024,
  maxOpenStreams: 64,
  // Most of what honest guests say unasked are credits: one for each 64 KiB of a download.
  maxUnaskedPerSecond: 50_000,
  maxUnaskedCharactersPerSecond: 64 * 1024 * 1024,
};

/** What a guest accepts from its host, which it has to trust: room for a large bundle. */
export const FROM_HOST: WireLimits = {
  maxMessageBytes: 128 * 1024 * 1024,
  maxChunkBytes: 256 * 1024,
  // The host caps the bytes of what it sends; counting its values would be for nothing.
  maxDepth: Infinity,
  maxNodes: Infinity,
  maxOpenRequests: 65_536,
  maxOpenRequestCharacters: Infinity,
  maxOpenStreams: 4_096,
  maxUnaskedPerSecond: 10_000_000,
  maxUnaskedCharactersPerSecond: 1024 * 1024 * 1024,
};

/**
 * Notices that a guest sends in one second: log lines, faults and denials together. It drops and
 * counts the rest, so that a plugin which logs in a loop costs its host next to nothing.
 */
export const NOTICES_PER_SECOND: number = 200;

/** The size into which senders split a stream. */
export const CHUNK_BYTES: number = 64 * 1024;

/** Bytes a sender may have under way on one stream before the receiver has taken any of them. */
export const STREAM_WINDOW_BYTES: number = 256 * 1024;

/** Characters of an error's text, and of its stack, that cross. The rest is cut. */
export const MAX_ERROR_TEXT: number = 8 * 1024;
export const MAX_ERROR_STACK: number = 16 * 1024;
