/** The limits of a server, each with the attack it stops. `docs/limits.md` lists them. */
export interface ServerLimits {
  /** Bytes of a request's body. Stops uploads that fill the host's memory. */
  readonly maxBodyBytes: number;
  /** Nesting of a request's JSON. Stops stack overflows in recursive code. */
  readonly maxBodyDepth: number;
  /** Values in a request's JSON. Stops a megabyte of `[[],[],…`. */
  readonly maxBodyNodes: number;
  /** Milliseconds for a body to arrive. Stops callers that send one byte at a time. */
  readonly bodyMs: number;
  /** Concurrent requests; more are answered with 429. Stops a flood from queueing without limit. */
  readonly maxRequests: number;
  /** Subscriptions of MCP clients at once. Each uses a connection for any length of time. */
  readonly maxListeners: number;
  /** Connections at once. The longest idle one is closed for the next. Stops clients that send nothing. */
  readonly maxConnections: number;
  /** Milliseconds for calls in progress to finish when the server stops. */
  readonly drainMs: number;
  /**
   * Milliseconds for which a stopping server answers 503 before its port closes. Stops refused
   * connections while a load balancer still sends requests.
   */
  readonly drainGraceMs: number;
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
  drainGraceMs: 1_000,
};

/** The limits of tokens and of the key sets that verify them. */
export interface TokenLimits {
  /** Bytes of an Authorization header. Stops tokens that are expensive to decode. */
  readonly maxTokenBytes: number;
  /** Bytes of a key set. Stops answers without end. */
  readonly maxKeySetBytes: number;
  /** Keys in a set. Stops sets that are expensive to search. */
  readonly maxKeys: number;
  /** Milliseconds to fetch a key set. Stops an issuer that stalls. */
  readonly keySetMs: number;
  /** Milliseconds for which a fetched set is fresh. Stops a removed key from working forever. */
  readonly keysFreshMs: number;
  /** Milliseconds for which a set stays in use while its issuer does not answer. */
  readonly keysStaleMs: number;
  /** Milliseconds between fetches caused by unknown key ids or failures. Stops floods of an issuer. */
  readonly keysCooldownMs: number;
  /** Milliseconds by which an issuer's clock may differ from this host's. */
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
