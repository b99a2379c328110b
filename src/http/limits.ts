/** The caps of a server, each with the attack it stops. Fields are told in `docs/limits.md`. */
export interface ServerLimits {
  /** Bytes of a request's body. Stops uploads that fill the host's memory. */
  readonly maxBodyBytes: number;
  /** Nesting of a request's JSON. Stops recursion in whoever walks it later. */
  readonly maxBodyDepth: number;
  /** Values in a request's JSON. Stops a megabyte of `[[],[],…`. */
  readonly maxBodyNodes: number;
  /** Milliseconds for a body to arrive. Stops senders of one byte every so often. */
  readonly bodyMs: number;
  /** Requests under way; more are answered 429. Stops a flood from queueing without end. */
  readonly maxRequests: number;
  /** Clients of MCP that listen for changes at once. Each holds a connection for as long as it likes. */
  readonly maxListeners: number;
  /**
   * Connections at once. Stops those that send nothing from using up descriptors: the one that served
   * nobody for longest is hung up on for the next.
   */
  readonly maxConnections: number;
  /** Milliseconds that calls under way get to finish once the server was told to stop. */
  readonly drainMs: number;
}

export const SERVER_LIMITS: ServerLimits = {
  maxBodyBytes: 1024 * 1024,
  maxBodyDepth: 64,
  maxBodyNodes: 100_000,
  bodyMs: 10_000,
  maxRequests: 64,
  maxListeners: 256,
  maxConnections: 1_024,
  drainMs: 30_000,
};

/** The caps on tokens and on the key sets that they are checked with. */
export interface TokenLimits {
  /** Bytes of an Authorization header. Stops tokens that are dear to decode. */
  readonly maxTokenBytes: number;
  /** Bytes of a key set. Stops an issuer's answer without end. */
  readonly maxKeySetBytes: number;
  /** Keys in a set. Stops sets that are dear to search. */
  readonly maxKeys: number;
  /** Milliseconds to fetch a key set. Stops an issuer that stalls. */
  readonly keySetMs: number;
  /** Milliseconds for which a fetched set is believed. Stops a removed key from opening for ever. */
  readonly keysFreshMs: number;
  /** Milliseconds for which a set is used whose issuer does not answer any more. */
  readonly keysStaleMs: number;
  /** Milliseconds between fetches that unknown key ids or failures cause. Stops floods through us. */
  readonly keysCooldownMs: number;
  /** Milliseconds by which an issuer's clock may differ from ours. */
  readonly clockSkewMs: number;
}

export const TOKEN_LIMITS: TokenLimits = {
  maxTokenBytes: 16 * 1024,
  maxKeySetBytes: 256 * 1024,
  maxKeys: 100,
  keySetMs: 5_000,
  keysFreshMs: 300_000,
  keysStaleMs: 3_600_000,
  keysCooldownMs: 5_000,
  clockSkewMs: 30_000,
};
