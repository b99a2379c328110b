import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { Audit } from '../audit/audit.js';
import type { Guarantee } from '../guests/walls.js';
import type { EventListener } from '../events.js';
import type { Foreseen } from './call/consent.js';
import type { CallOptions } from './options/options.js';
import type { ReplayOptions, ReplayVerdict } from './recording/replay.js';
import type { Hooks } from './hooks/hooks.js';
import type { CallResult } from './call/result.js';
import type { RuleBook } from '../approval/rule-book.js';
import type { Catalog, CatalogTool } from '../catalog/catalog.js';
import type { SpindleHost } from './spindle/spindle-host.js';
import type { PluginStatus } from './plugins/status.js';

/** Plugins that run, and the tools they offer. Made by `createEngine`, ended by `close`. */
export interface Engine extends AsyncDisposable {
  readonly catalog: Catalog;
  /**
   * Runs one tool, named as the catalog exports it (`notes__read`), by its id
   * (`notes:read`), or by its bare name where only one plugin has it. Throws
   * `TOOL_NOT_FOUND`, `INVALID_OPTIONS` and `ENGINE_CLOSED`; everything that a plugin can do wrong
   * comes back as a result with `isError` and a `code`.
   */
  call(tool: string, input: unknown, options?: CallOptions): Promise<CallResult>;
  /** The plugins' hooks, which a host runs at the points of a turn that they are named for. */
  readonly hooks: Hooks;
  /**
   * What would become of such a call, and why: it runs, it asks, or it is refused. Nothing runs and
   * nobody is asked. Throws what `call` throws, and `INVALID_RULES`.
   */
  foresee(tool: string, input: unknown, options?: CallOptions): Foreseen;
  /**
   * The tools that such a call may use: what the engine's policy and the channel's offer, and where
   * nobody attends the run, what may run unattended.
   */
  offered(situation: Pick<CallOptions, 'policy' | 'unattended'>): readonly CatalogTool[];
  /** The rules that decide before anybody is asked: shown, added to and taken back here. */
  readonly rules: RuleBook;
  /**
   * Grants a plugin more of what it declares, while it runs: a kind (`network`) or one scope of it
   * (`network:api.example.com`, `fs:./pages`, `env:API_KEY`). A permission of Spindle's stands alone
   * (`tools`). What it needed at load is there from the
   * next use on; code that looked for a global once, at load, finds it after the next start. Holds
   * until the engine is closed, also for a plugin that is read again. Rejects `INVALID_PERMISSION` for
   * what it does not declare, and `INVALID_OPTIONS` for a plugin that is not there.
   */
  grant(plugin: string, ...permissions: string[]): Promise<void>;
  /**
   * Takes permissions from a plugin while it runs. Every granted scope goes that has anything in
   * common with one of these: of `*.example.com` nothing is left once `network:api.example.com` is
   * revoked. The host's brokers refuse as soon as this is called, and end what was under way; the
   * plugin's own clock, dice and variables are gone when the promise resolves. Whatever it kept
   * (`fetch`, a response, a stream, a timer) gives it nothing more; a value that it has read, it has.
   */
  revoke(plugin: string, ...permissions: string[]): Promise<void>;
  /** What a host of Spindle extensions does with them besides calling their tools. */
  readonly spindle: SpindleHost;
  /**
   * Runs a recorded call again, in a fresh guest and on what was recorded, and compares all that the
   * plugin does: it needs neither the plugin nor the network. Throws `INVALID_OPTIONS` for what is no
   * record, or not a whole one.
   */
  replay(record: unknown, options?: ReplayOptions): Promise<ReplayVerdict>;
  /** Every plugin that was found, with its state, problems, permissions and tools. */
  plugins(): readonly PluginStatus[];
  /**
   * The plugins as their own system's page of plugins shows them: for Pandora the data of
   * `/api/plugins`, with alerts and with tools that were resolved.
   */
  listing(): readonly Readonly<Record<string, unknown>>[];
  /** The public keys by which tokens that `remotes` are sent are verified, as a JWKS. */
  jwks(): Promise<JsonObject>;
  /**
   * Takes what a server of tools says of them now for reviewed, so that what changed is offered. With
   * the digest that the server's problems name, only where that is still what it says.
   * Throws `INVALID_OPTIONS` where no server has that id, and where it says something else.
   */
  accept(remote: string, digest?: string): Promise<void>;
  /** The walls round this machine's guests: which stand, found out once on a blank one. */
  guarantees(): Promise<readonly Guarantee[]>;
  /** What happened, where the option `audit` has it written down; else all of it throws. */
  readonly audit: Audit;
  on(listener: EventListener): () => void;
  /**
   * Switches a plugin off while the engine runs, or on again: off, it is shut down and its guest ended
   * at once, whatever it was doing, and it offers nothing. Holds until the engine is closed. Rejects
   * `PLUGIN_NOT_FOUND`.
   */
  setEnabled(plugin: string, enabled: boolean): Promise<void>;
  /**
   * Reads the plugins again. One of which nothing has changed goes on as it is; one that cannot be
   * built now goes on as it was, and says so in its problems; any other is shut down, and what is there
   * now begins. Calls under way end as they began, in the guest that they began in. What functions
   * among the engine's options say (`grant`, `config`, …) is asked anew. `plugins`: reads them in
   * these directories, from now on.
   */
  reload(options?: { readonly plugins?: readonly string[] }): Promise<void>;
  /** Ends every guest. Calls under way are answered with ENGINE_CLOSED. */
  close(): Promise<void>;
}
