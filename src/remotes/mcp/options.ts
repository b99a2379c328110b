/** A server that speaks MCP, as the operator registers it. */
export type McpRemoteOptions = McpHttpOptions | McpStdioOptions;

interface McpCommonOptions {
  /** Names of the tools that are offered. Default: all. */
  readonly tools?: readonly string[];
}

/** One that is reached over streamable HTTP. */
export interface McpHttpOptions extends McpCommonOptions {
  readonly mcp: string;
  /** What stands before its tools' names. Default: its host. */
  readonly id?: string;
  /** Lets it be at a private address, and at a plain `http:` one on loopback. Default: false. */
  readonly allowPrivate?: boolean;
  /** Headers that it is sent, e.g. `authorization`: to its own origin and no other. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One that is a process of this machine, which runs with all that this user may do. */
export interface McpStdioOptions extends McpCommonOptions {
  readonly command: string;
  readonly args?: readonly string[];
  /** What stands before its tools' names. */
  readonly id: string;
  /** Variables that it sees, besides the few that any program needs. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}
