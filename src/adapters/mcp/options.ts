/** How tools are served to MCP's clients. */
export interface McpOptions {
  /** Default: `bulkhead`. */
  readonly name?: string;
  /** Default: that of this package. */
  readonly version?: string;
  /** What clients tell their model about these tools. */
  readonly instructions?: string;
  /** Names of the tools that are served, as the catalog has them; `*` stands for anything. Default: all. */
  readonly tools?: readonly string[];
  /**
   * Signs what clients carry from a question to its answer: 32 bytes at least, the same on every
   * server that may get the answer. Default: one that is made up.
   */
  readonly stateKey?: string;
  /** Bytes of a request's body, over HTTP. Default: a mebibyte. */
  readonly maxBodyBytes?: number;
  /** Clients that listen for changes at once, over HTTP. Default: 256. */
  readonly maxListeners?: number;
  /** Told what went wrong besides the answers. */
  readonly onError?: (error: Error) => void;
}
