import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { RuleBook } from '../approval/rule-book.js';
import type { Audit } from '../audit/audit.js';
import type { Catalog, CatalogTool } from '../catalog/catalog.js';
import type { BulkheadEvent, EventListener } from '../events.js';
import type { Stops } from '../stops/stop.js';
import type { SystemApis } from './systems.js';
import type { Guarantee } from '../guests/walls/guarantees.js';
import type { Approvals } from './approvals.js';
import type { CallStreamEvent, StreamOptions } from './call/stream.js';
import type { CallDecision } from './call/admission.js';
import type { FilesOptions, PluginFiles } from './files.js';
import type { Hooks } from './hooks/hooks.js';
import type { ProgramOptions, ProgramResult, Programs } from './programs/program.js';
import type { ReplayOptions, ReplayVerdict } from './recording/replay.js';
import type { CallOptions } from './types/options.js';
import type { CallResult } from './types/result.js';
import type { McpSource } from '../plugin/mcp-source.js';
import type { RemoteLogin } from '../remotes/remote.js';
import type { PluginStatus } from './types/status.js';

/** Runs plugins and their tools. Created by `createEngine`, ended by `close`. */
export interface Engine extends AsyncDisposable, SystemApis {
  readonly catalog: Catalog;
  /**
   * Runs one tool. `tool` is its exported name (`notes__read`), its id (`notes:read`), or its bare
   * name if only one plugin has it. Throws `TOOL_NOT_FOUND`, `PLUGIN_INACTIVE`, `INVALID_OPTIONS`,
   * `INVALID_INPUT` and `ENGINE_CLOSED`. A plugin's failure is a result with `isError` and a `code`.
   */
  call(tool: string, input: unknown, options?: CallOptions): Promise<CallResult>;
  /**
   * Runs one tool like `call`, and yields its output while it runs, its progress, and at last its
   * result. If the reader stops early, the call is cancelled. Reading throws the errors of `call`.
   */
  stream(
    tool: string,
    input: unknown,
    options?: StreamOptions,
  ): AsyncGenerator<CallStreamEvent, void, undefined>;
  /**
   * Runs a program in TypeScript that calls tools, in a guest of its own. The program can do nothing else, and
   * each of its calls is a call of the engine, with the same policies, rules, approvals and limits. Rejects
   * with `BUNDLE_FAILED` for a program that cannot be read, with line and column, and with `BUSY`,
   * `PROGRAM_FAILED`, `INVALID_OPTIONS` and `ENGINE_CLOSED`. A program that fails is a result with `isError`.
   */
  runProgram(source: string, options?: ProgramOptions): Promise<ProgramResult>;
  /** Programs that run, wait for a person, or were interrupted. */
  readonly programs: Programs;
  /** The plugins' hooks. The host runs each hook at the point of a turn that it is named after. */
  readonly hooks: Hooks;
  /** What the operator stopped, and the switch for it. */
  readonly stops: Stops;
  /** The questions about calls that need approval, and their answers. */
  readonly approvals: Approvals;
  /**
   * Decides whether a call would run, need approval or be denied, and why. Does not run the tool and
   * does not ask the approver. Throws the errors of `call`, and `INVALID_RULES`.
   */
  previewCall(tool: string, input: unknown, options?: CallOptions): CallDecision;
  /**
   * Lists the tools that both the engine's policy and the given policy allow. If `unattended` is
   * true, lists only the tools that may run unattended. Default of `unattended`: false.
   */
  availableTools(situation: Pick<CallOptions, 'policy' | 'unattended'>): readonly CatalogTool[];
  /**
   * The files that tools of a plugin wrote, of one tenant, or of one call (`callId`). Throws
   * `PLUGIN_NOT_FOUND` and `INVALID_OPTIONS`.
   */
  files(plugin: string, options?: FilesOptions): PluginFiles;
  /** Lists, adds and removes the rules that decide before the approver is asked. */
  readonly rules: RuleBook;
  /**
   * Grants a running plugin permissions that it declares: a kind (`network`) or one scope
   * (`network:api.example.com`, `fs:./pages`, `env:API_KEY`). Spindle's permissions have no scope
   * (`tools`). The grant applies from the next use on. Code that checks for a global only at load
   * finds it after the next start. The grant lasts until the engine is closed, also after `reload`.
   * Rejects with `INVALID_PERMISSION` if the plugin does not declare a permission, and with
   * `INVALID_OPTIONS` if the plugin does not exist.
   */
  grant(plugin: string, ...permissions: string[]): Promise<void>;
  /**
   * Revokes permissions of a running plugin. Every granted scope that overlaps one of these is
   * revoked: `network:api.example.com` revokes all of `*.example.com`. The brokers deny new requests
   * and end running ones immediately. The guest's clock, random source and variables are removed when
   * the promise resolves. Stored functions and objects (`fetch`, a response, a stream, a timer) stop
   * working. The plugin retains values that it has already read.
   */
  revoke(plugin: string, ...permissions: string[]): Promise<void>;
  /**
   * Replays a recorded call in a new guest, and compares the plugin's behaviour with the recording.
   * Needs neither the plugin nor the network. Throws `INVALID_OPTIONS` if the recording is invalid or
   * incomplete.
   */
  replay(recording: unknown, options?: ReplayOptions): Promise<ReplayVerdict>;
  /** All plugins that were found, with their state, problems, permissions and tools. */
  plugins(): readonly PluginStatus[];
  /**
   * The plugins in the listing format of their own system. For Pandora: the data of `/api/plugins`,
   * with alerts and resolved tools.
   */
  listing(): readonly Readonly<Record<string, unknown>>[];
  /**
   * What MCP servers among the plugins and remotes offer besides tools: resources, prompts, completion and
   * log messages.
   */
  mcpSources(): readonly McpSource[];
  /** The public keys (JWKS) that verify the tokens which the engine sends to `remotes`. */
  jwks(): Promise<JsonObject>;
  /**
   * Accepts the current tool definitions of a remote server, or what an MCP server among the plugins lists, so
   * that changed tools become available. Throws `INVALID_OPTIONS` if no server has that id, or if `digest` (from the server's problems) no
   * longer matches. Default of `digest`: any definitions are accepted.
   */
  accept(remote: string, digest?: string): Promise<void>;
  /**
   * Logs in at a remote MCP server that is registered with `oauth`. `show` receives the page at which a
   * person logs in; the promise resolves after that. Rejects with `REMOTE_FAILED` if the login fails, and
   * throws `INVALID_OPTIONS` if no such server has that id.
   */
  logIn(remote: string, login: RemoteLogin): Promise<void>;
  /** Deletes the stored login at a remote server. */
  logOut(remote: string): Promise<void>;
  /** The walls around guests on this machine: active or missing. Tested once, on a standby guest. */
  guarantees(): Promise<readonly Guarantee[]>;
  /** The audit log. Without the option `audit`, reading it throws `INVALID_OPTIONS`. */
  readonly audit: Audit;
  /**
   * Adds a listener. Returns a function that removes it. `only`: the types of events that it gets.
   * Default: all but `call-answered` and `call-recorded`, which have the content of calls.
   */
  on(listener: EventListener, only?: readonly BulkheadEvent['type'][]): () => void;
  /**
   * Disables or enables a plugin until the engine is closed. Disabling shuts the plugin down, ends
   * its guest immediately and removes its tools. Rejects with `PLUGIN_NOT_FOUND`.
   */
  setEnabled(plugin: string, enabled: boolean): Promise<void>;
  /**
   * Reads the plugins again. An unchanged plugin continues. A plugin that cannot be built continues
   * in its old version, and its problems say so. Any other plugin is shut down and replaced. Running
   * calls finish in their guest. Options that are functions (`grant`, `config`, …) are called again.
   * `plugins`: the directories to read from now on. Default: the current directories.
   */
  reload(options?: { readonly plugins?: readonly string[] }): Promise<void>;
  /** Ends all guests. Running calls get a result with the code `ENGINE_CLOSED`. */
  close(): Promise<void>;
}
