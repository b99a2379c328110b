import type { Approver } from '../approval/approver.js';
import type { ToolPolicy } from '../approval/policy.js';
import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { ErrorCode } from '../errors.js';
import type { ToolAnswer } from '../plugin/answer.js';
import type { CallClient } from '../plugin/call-client.js';
import type { McpSource } from '../plugin/mcp-source.js';
import type { RiskBand } from '../plugin/risk.js';

/** A server of tools, as the operator registers it. */
export type RemoteOptions = VertesiaRemoteOptions | McpRemoteOptions;

/** A custom tool server of Vertesia's protocol. */
export interface VertesiaRemoteOptions {
  /** The URL that lists the tools and runs them. */
  readonly vertesia: string;
  /** The prefix of its tools' names. Default: its host. */
  readonly id?: string;
  /** Allows a private address, and plain `http:` on loopback. Default: false. */
  readonly allowPrivate?: boolean;
  /** Other origins that its tools may run at, each with a token of its own. Default: none. */
  readonly origins?: readonly string[];
  /** Names of the tools to use. Default: all. */
  readonly tools?: readonly string[];
}

export type McpRemoteOptions = McpHttpOptions | McpStdioOptions;

/** An MCP server at a URL. */
export interface McpHttpOptions {
  readonly mcp: string;
  /** The prefix of its tools' names. Default: its host. */
  readonly id?: string;
  /** Allows a private address, and plain `http:` on loopback. Default: false. */
  readonly allowPrivate?: boolean;
  /** Headers of every request, e.g. `authorization`. No other server receives them. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Sends the token of an OAuth login, which `bulkhead remotes --login ID` made. Default: false. With an
   * object, the client is not registered at each login.
   */
  readonly oauth?: boolean | OAuthOptions;
  /**
   * `legacy`: speaks the versions of the protocol up to 2025-11-25, for a server whose support of the current
   * one is not complete. Default: `auto`, the newest that both speak.
   */
  readonly protocol?: 'auto' | 'legacy';
  /** What it may ask of the clients that call it. Default: nothing. */
  readonly allow?: McpPowers;
  /** Names of the tools to use. Default: all. */
  readonly tools?: readonly string[];
}

/** How Bulkhead logs in at an MCP server. */
export interface OAuthOptions {
  /** The client that the operator registered. Default: each login registers one. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /**
   * The `https:` URL of a document that describes the client, for authorization servers that take it in the place
   * of a registration. It names `http://127.0.0.1/callback`, with `redirectPort` if there is one. Default: none.
   */
  readonly clientMetadataUrl?: string;
  /** The port of the address that the login page returns to, if the client is registered with it. Default: any. */
  readonly redirectPort?: number;
  /** Scopes to request, separated by blanks. Default: those that the server names. */
  readonly scope?: string;
}

/** An MCP server that runs as a child process. Without `confine` it may do anything that this user may do. */
export interface McpStdioOptions {
  readonly command: string;
  /** Default: none. */
  readonly args?: readonly string[];
  /** The prefix of its tools' names. */
  readonly id: string;
  /** Environment variables in addition to those that every child process receives. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** The working directory. Default: this process's; with `confine`: a temporary one. */
  readonly cwd?: string;
  /**
   * Runs the command under `@anthropic-ai/sandbox-runtime`, which reaches only what is named here. It does not
   * run if it cannot be confined. Default: it is not confined.
   */
  readonly confine?: Confinement;
  /**
   * `legacy`: speaks the versions of the protocol up to 2025-11-25, for a server whose support of the current
   * one is not complete. Default: `auto`, the newest that both speak.
   */
  readonly protocol?: 'auto' | 'legacy';
  /** What it may ask of the clients that call it. Default: nothing. */
  readonly allow?: McpPowers;
  /** Names of the tools to use. Default: all. */
  readonly tools?: readonly string[];
}

/** What a confined command may reach, beside the system's programs and libraries and a temporary home. */
export interface Confinement {
  /** Hosts, as in the permission `network`, without methods: `api.example.com`. Default: none. */
  readonly hosts?: readonly string[];
  /** Files and directories, to read: `./notes`, or also to write: `./notes:rw`. Default: none. */
  readonly fs?: readonly string[];
}

/** What an MCP server may ask of the client on whose behalf its tool runs. */
export interface McpPowers {
  /**
   * Whether it may ask the client's user to fill in a form. With `urls`, it may also send the user to
   * pages of these hosts. Default: false.
   */
  readonly elicitation?: boolean | { readonly urls: readonly string[] };
  /**
   * Whether it may ask the client's model, without context and tools. `maxTokens`: of one answer (default:
   * 1,000). `maxRequests`: of one call (default: 5). Default: false.
   */
  readonly sampling?: boolean | { readonly maxTokens?: number; readonly maxRequests?: number };
  /** Directories that it is told to work in, as absolute paths. This does not share them. Default: none. */
  readonly roots?: readonly string[];
}

/** A server of tools that run outside any guest. */
export interface Remote {
  /** Takes the place of a plugin's id: the tools are `id:tool`. */
  readonly id: string;
  readonly kind: RemoteKind;
  /** Its URL, or its command line. */
  readonly where: string;
  /**
   * Where its tools run. `host`: in a process of this machine, which may do anything that its user may do.
   * `sandbox-runtime`: in a process that this package confines, and Bulkhead does not.
   */
  readonly confinement: RemoteConfinement;
  /** Lists its tools. Never rejects: if the server fails, its last list is returned with a problem. */
  load(signal: AbortSignal): Promise<RemoteListing>;
  /**
   * Accepts the definitions of the last list. With the digest from its problems, accepts only that list.
   * Rejects with `INVALID_OPTIONS` if the list has changed.
   */
  accept(digest?: string): Promise<void>;
  /** Logs in at the server. Missing if it is not registered with `oauth`. Rejects with `REMOTE_FAILED`. */
  readonly logIn?: (login: RemoteLogin) => Promise<void>;
  /** Deletes what a login stored. */
  readonly logOut?: () => Promise<void>;
  /** Calls the listener when the server reports that its tools changed. Returns how to unsubscribe. */
  onChange(listener: () => void): () => void;
  /** What it offers besides tools, if its protocol has more. */
  readonly source?: McpSource;
  close(): Promise<void>;
}

/** A login by a person. */
export interface RemoteLogin {
  /** Shows the person the page at which to log in. */
  readonly show: (page: string) => void | Promise<void>;
  readonly signal: AbortSignal;
}

export type RemoteKind = 'vertesia' | 'mcp';

export type RemoteConfinement = 'remote' | 'host' | 'sandbox-runtime';

/** The tools of a server. */
export interface RemoteListing {
  readonly name: string;
  readonly description: string | undefined;
  readonly version: string | undefined;
  readonly tools: readonly RemoteTool[];
  readonly problems: readonly RemoteProblem[];
}

export interface RemoteProblem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly toolId?: string;
}

/** A tool as its server describes it. None of it is verified. */
export interface RemoteTool {
  readonly tool: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** The schema of its structured results. */
  readonly outputSchema?: JsonObject;
  readonly annotations: RemoteHints;
  readonly declaredRisk: RiskBand;
  /** Whether its server requires approval of every call. */
  readonly requireApproval: boolean;
  readonly category?: string;
  /** Hash of the definition and the address. Approvals are for this hash, not for the tool's name. */
  readonly hash: string;
  /** Rejects with a `BulkheadError`. An error that the tool itself reports is an answer. */
  run(call: RemoteCall): Promise<ToolAnswer>;
}

/** MCP's hints. */
export interface RemoteHints {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** Progress of a call, as its server reports it. */
export interface CallProgress {
  /** Grows with the work. */
  readonly progress: number;
  /** The value of `progress` at the end, if the server knows it. */
  readonly total?: number;
  readonly message?: string;
}

/** The options of a call that a tool of the host passes on if it makes calls itself. */
export interface HostCaller {
  readonly tenant?: string;
  readonly policy?: ToolPolicy;
  readonly unattended?: boolean;
  readonly context?: JsonObject;
  readonly approve?: Approver;
}

export interface RemoteCall {
  readonly callId: string;
  readonly input: JsonObject;
  /** Aborts at the call's deadline, and when the caller cancels. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  readonly timeoutMs: number;
  /** The caller's metadata of the run. */
  readonly metadata: JsonObject;
  /** The caller's options. Only for the host's own tools. */
  readonly caller?: HostCaller;
  readonly maxResultBytes: number;
  /** Receives the tool's output while it runs. */
  readonly onOutput?: (chunk: string) => void;
  /** Receives the progress that the server reports. */
  readonly onProgress?: (progress: CallProgress) => void;
  /** The client on whose behalf the call runs. */
  readonly client?: CallClient;
}
