/** A custom tool server of Vertesia's protocol, as the operator registers it. */
export interface VertesiaRemoteOptions {
  /** The URL that lists the tools, and runs them. */
  readonly vertesia: string;
  /** What stands before its tools' names. Default: its host. */
  readonly id?: string;
  /** Lets it be at a private address, and at a plain `http:` one on loopback. Default: false. */
  readonly allowPrivate?: boolean;
  /** Further origins to which its tools may be sent, each with a token of its own. Default: none. */
  readonly origins?: readonly string[];
  /** Names of the tools that are offered. Default: all. */
  readonly tools?: readonly string[];
}
