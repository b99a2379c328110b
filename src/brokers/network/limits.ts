/** The caps of one plugin's network broker, each with the attack it stops. */
export interface NetworkLimits {
  /** Characters of a URL. Stops texts that are cheap to send and dear to parse, log and compare. */
  readonly maxUrlLength: number;
  /** Headers of a request, as the plugin names them. Stops using us to exhaust a server's parser. */
  readonly maxRequestHeaders: number;
  readonly maxRequestHeaderBytes: number;
  /** Bytes of a request's body. Stops an upload without end from filling a server's disk. */
  readonly maxRequestBytes: number;
  /** Bytes of a request's body that are kept, to send it again where a redirect asks for that. */
  readonly maxReplayBytes: number;
  /** Headers of a response. Names of one byte fit by the thousand into any cap on bytes. */
  readonly maxResponseHeaders: number;
  /** Bytes of a response's headers, and again of its trailers. Stops a header without end. */
  readonly maxResponseHeaderBytes: number;
  /** `1xx` answers before the real one. Stops a server that answers "early hints" for ever. */
  readonly maxInformational: number;
  /**
   * Bytes of a response's body, as received and again after each decompression. Stops bodies
   * without end, and the kilobyte of gzip that unpacks to a gigabyte.
   */
  readonly maxResponseBytes: number;
  /** Codings laid over one another, as in `gzip, br`. Each multiplies what a bomb costs us. */
  readonly maxContentCodings: number;
  /** Redirects followed for one request. Stops circles. */
  readonly maxRedirects: number;
  /**
   * Requests under way, from their first byte until their body has been read. Each may hold a
   * descriptor and some 400 kB of this process.
   */
  readonly maxActive: number;
  /** Requests that wait for one of those to end. Stops a queue that grows without end. */
  readonly maxWaiting: number;
  /** Connections kept open for the next request. Stops a wildcard's hosts from using up descriptors. */
  readonly maxIdleConnections: number;
  /** Milliseconds to resolve a name, connect and shake hands. Stops black holes. */
  readonly connectMs: number;
  /** Milliseconds until the response's headers, from the last byte that was sent. Stops stalling. */
  readonly headersMs: number;
  /** Milliseconds between two pieces of a response's body, while somebody reads it. Stops dripping. */
  readonly idleMs: number;
  /** Milliseconds for all of it. Stops a byte every so often, and a plugin that never reads on. */
  readonly totalMs: number;
}

const MEBIBYTE = 1024 * 1024;

/** Far beyond what an honest plugin of an assistant asks for. */
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
  maxWaiting: 192,
  maxIdleConnections: 16,
  connectMs: 15_000,
  headersMs: 60_000,
  idleMs: 60_000,
  totalMs: 300_000,
};
