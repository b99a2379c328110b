import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import type { Permissions } from '../../permissions/kind.js';
import type { Plugin } from '../../plugin/plugin.js';
import type { AuditOptions } from '../../audit/options.js';
import type { Approver } from '../../approval/approver.js';
import type { EffectMode } from '../../approval/effect-mode.js';
import type { ToolPolicy } from '../../approval/policy.js';
import type { RiskPolicy } from '../../approval/risk.js';
import type { Tolerance } from '../../approval/tolerance.js';
import type { PowerDefinition } from '../../brokers/powers/definition.js';
import type { SecretBinding } from '../../brokers/network/secrets/binding.js';
import type { OptionalWall } from '../../guests/command.js';
import type { WallName } from '../../guests/walls.js';
import type { EventListener } from '../../events.js';
import type { CoreTool } from '../plugins/core-tool.js';
import type { EngineHookOptions } from '../hooks/hook-options.js';
import type { Credentials } from './credentials.js';
import type { IdentityOptions } from '../../remotes/identity.js';
import type { RemoteOptions } from '../../remotes/open.js';
import type { EngineLimits } from './limits.js';

/** What a host tells the engine once. */
export interface EngineOptions {
  /** Directories of plugins; a last segment `*` stands for every directory in its parent. */
  readonly plugins: readonly string[];
  /**
   * Directories of plugins that come with the host, like `plugins`. Their tools and hooks are
   * registered before those of plugins that were installed. Default: none.
   */
  readonly defaultPlugins?: readonly string[];
  /**
   * A directory whose `tools/` override the host's own tools of the same names, and add to them.
   * They run as the plugin `(workspace)`, with what `grant` gives that. Default: none.
   */
  readonly workspace?: string;
  /** The host's own tools. Default: none. */
  readonly coreTools?: readonly CoreTool[];
  /**
   * What becomes of a plugin one of whose tools has the name of another installed plugin's:
   * `isolate` (the default) leaves that tool out, `strict` all of the plugin's tools, as Vellum does.
   */
  readonly collisions?: 'isolate' | 'strict';
  /**
   * What the plugins get of what they declare. `'declared'`: all of it. `'nothing'` (the default).
   * By plugin id: all, nothing, or these permissions at most. A function decides for each plugin.
   * Nobody ever gets what they did not declare.
   */
  readonly grant?: GrantPolicy;
  /**
   * A lock file (`bulkhead.lock.json`): the plugins that somebody accepted, with the code and the
   * permissions that they were accepted with. Its plugins run besides those of `plugins`, what is not
   * in it does not, and what became another runs on as it was accepted. `grant` may give less than
   * the lock does. Read again by `reload()`.
   */
  readonly lockFile?: string;
  /** The operator's configuration of each plugin: by plugin id, or said for each by a function. */
  readonly config?: ConfigPolicy;
  /** Where granted variables are read, once, when a guest loads. Default: the host's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Variables whose values never enter a plugin, by plugin id and name. The plugin has to declare
   * them and be granted them as ever, and then sees a placeholder: the network broker puts the value
   * in its place where it is bound, and takes it out of answers. Read once, when the plugin is
   * installed. Variables that are not named here are handed over as they are.
   */
  readonly secrets?: Readonly<Record<string, PluginSecrets>> | ((plugin: Plugin) => PluginSecrets);
  /** Ids of plugins that may run unconfined if their manifest says `sandbox: "host"`. Default: none. */
  readonly hostMode?: readonly string[];
  /**
   * What the host lends plugins of its own, by name: those that were granted the `powers` permission
   * of that name. Default: none.
   */
  readonly powers?: readonly PowerDefinition[];
  /** Where plugins' credentials come from, each plugin's by its own. Default: there are none. */
  readonly credentials?: Credentials;
  /** Decides where a tool asks first. Without one, such calls are refused. */
  readonly approve?: Approver;
  /**
   * How much risk runs unasked: `strict` nothing, `default` what is low, `relaxed` what is low or
   * medium, `full` everything; a tool that requires approval asks in any case. Without a choice
   * each format's own document holds: Pandora's tools ask by their flag alone, others where the
   * risk is high.
   */
  readonly tolerance?: Tolerance;
  /**
   * `proven` (the default): what an author says of a tool's risk may raise it, and lowers it only as
   * far as the granted permissions prove. `author`: the author's word counts.
   */
  readonly riskPolicy?: RiskPolicy;
  /** Ids of plugins whose authors' hints may lower the risk of their tools. Default: none. */
  readonly trustHints?: readonly string[];
  readonly hooks?: EngineHookOptions;
  /**
   * Reads plugins again when their files change: those that changed begin anew, and one that cannot be
   * built goes on as it was. For development. Default: false.
   */
  readonly watch?: boolean;
  /**
   * A file of rules that decide before anybody is asked, and in which `always` is kept. It may be
   * edited while the engine runs. Default: rules are kept for as long as the engine lives.
   */
  readonly rules?: string;
  /**
   * What becomes of a request that changes something (any but GET, HEAD and OPTIONS), sent by a tool
   * that declares that it only reads: `ask` holds it and asks about that very request, `audit` lets
   * it and tells the engine's listeners. Default: `ask` where there is an approver, else `audit`; the
   * tolerance `full` holds nothing.
   */
  readonly effects?: EffectMode;
  /** Which tools are offered at all. Default: all. */
  readonly policy?: ToolPolicy;
  readonly limits?: Partial<EngineLimits>;
  readonly network?: NetworkOptions;
  /**
   * Servers of tools that run elsewhere, or as processes of their own: their tools are in the
   * catalog beside those of plugins, and nothing confines them.
   */
  readonly remotes?: readonly RemoteOptions[];
  /** Who we are to servers that ask for a token. Default: nobody whom they would know. */
  readonly identity?: IdentityOptions;
  /**
   * Ids of plugins that may run while nobody calls them: their timers fire then. The guest of any
   * other is stopped between calls; what was due meanwhile fires once, with the next call.
   * Default: none.
   */
  readonly background?: readonly string[];
  /**
   * Plugins that trust each other, by a name for them: their compartments are put into one process,
   * which saves some twelve megabytes for each but the first. What is lost: a plugin that breaks out
   * of its compartment has what all of its group were granted, and one that is stopped by force
   * stops them all (their next calls get a fresh process). Default: every plugin has its own.
   */
  readonly trustGroups?: Readonly<Record<string, readonly string[]>>;
  readonly walls?: WallOptions;
  /** Where bundles and descriptions are kept between runs. Default: `bulkhead` in the user's cache. */
  readonly cacheDirectory?: string;
  /**
   * Where plugins that were granted `storage` keep their files, each in a directory of its own. Made
   * when it is first needed. Default: `bulkhead/storage` in the user's data directory.
   */
  readonly storageDirectory?: string;
  /** Receives the plugins' own log lines and the engine's. Default: warnings and errors to stderr. */
  readonly logger?: Logger;
  readonly onEvent?: EventListener;
  /** Where everything that happens is written down. Default: nowhere. */
  readonly audit?: AuditOptions;
}

export type GrantPolicy =
  | 'declared'
  | 'nothing'
  | Readonly<Record<string, PluginGrant>>
  | ((plugin: Plugin) => PluginGrant);

export type PluginGrant = 'declared' | 'nothing' | Partial<Permissions>;

/** By the variable's name: `{ API_KEY: { hosts: ['api.example.com'], in: ['header:x-api-key'] } }`. */
export type PluginSecrets = Readonly<Record<string, SecretBinding>>;

export type ConfigPolicy =
  | Readonly<Record<string, PluginConfig>>
  | ((plugin: Plugin) => PluginConfig | undefined);

/** Configuration of one plugin: three words of ours, and whatever its config fields name. */
export interface PluginConfig {
  readonly enabled?: boolean;
  /** By tool id: whether it asks before it runs, whatever the manifest says. */
  readonly requireApproval?: Readonly<Record<string, boolean>>;
  readonly [field: string]: Json | undefined;
}

export interface WallOptions {
  /** Walls without which the engine does not start. Default: none, `guarantees()` tells which stand. */
  readonly require?: readonly WallName[];
  /** Which of the walls that can be left out are put up, where this machine has them. */
  readonly use?: readonly OptionalWall[];
  /** Puts up all of them. `no-jit` makes plugins compute some ten times slower. Default: false. */
  readonly paranoid?: boolean;
}

export interface NetworkOptions {
  /** Serves `host` at `url` (an address of the operator's choice, plain HTTP allowed). */
  readonly overrides?: readonly { readonly host: string; readonly url: string }[];
  /** Further certificate authorities, PEM. */
  readonly ca?: readonly string[];
  /** An upstream HTTP proxy that requests leave through. */
  readonly proxy?: string;
}

/** pino's shape, as far as we use it. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What a caller may say about one call. */
export interface CallOptions {
  /** Gives the call up: the plugin's own signal is aborted, then its guest killed. */
  readonly signal?: AbortSignal;
  /** A shorter deadline than the tool's own. */
  readonly timeoutMs?: number;
  /** What the plugin's system hands to a tool besides its input, as far as a host supplies it. */
  readonly context?: JsonObject;
  /**
   * The input need not fit the tool's schema: who assigned the tool could not say what it takes, as
   * in a Spindle council. Default: false.
   */
  readonly incomplete?: boolean;
  /**
   * For whom the call is made: what is approved for one tenant holds for no other, and where calls wait
   * for their turn, tenants take turns.
   */
  readonly tenant?: string;
  /** Which tools this call's channel may use, besides the engine's own policy. */
  readonly policy?: ToolPolicy;
  /**
   * Nobody attends this run (a schedule): only tools that may run unattended do, and nobody is
   * asked. `context.isInteractive: false` keeps people from being asked, too. Default: false.
   */
  readonly unattended?: boolean;
  /**
   * Runs the tool with what it would change stopped and listed in the result. Nobody is asked, and
   * the guest is its own. Default: false.
   */
  readonly rehearse?: boolean;
  /**
   * Receives what the tool writes while it runs, in order, and nothing after the call is answered.
   * Tools of systems without such output never call it.
   */
  readonly onOutput?: (chunk: string) => void;
  /**
   * Keeps what crosses the boundary for this call: see `CallResult.record`. It runs in a guest of its
   * own, that is loaded for it. Default: false.
   */
  readonly record?: boolean;
  /**
   * Decides where this call asks first and the engine itself has nobody to ask. It answers for this
   * call alone.
   */
  readonly approve?: Approver;
}
