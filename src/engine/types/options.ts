import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import type { Approver } from '../../approval/approver.js';
import type { EffectMode, Tolerance, ToolPolicy } from '../../approval/policy.js';
import type { RiskPolicy } from '../../approval/risk.js';
import type { AuditOptions } from '../../audit/options.js';
import type { SecretBinding } from '../../brokers/network/secrets/secret.js';
import type { PowerDefinition } from '../../brokers/powers/host-powers.js';
import type { EventListener } from '../../events.js';
import type { InspectorSpec } from '../../guests/inspector.js';
import type { OptionalWall } from '../../guests/walls/optional.js';
import type { WallName } from '../../guests/walls/wall-names.js';
import type { Permissions } from '../../permissions/kind.js';
import type { CallClient } from '../../plugin/call-client.js';
import type { Plugin } from '../../plugin/plugin.js';
import type { IdentityOptions } from '../../remotes/identity.js';
import type { CallProgress, RemoteOptions } from '../../remotes/remote.js';
import type { CoreTool } from './core-tool.js';
import type { Credentials } from './credentials.js';
import type { EngineHookOptions } from './hook-options.js';
import type { EngineLimits } from './limits.js';
import type { PackageOptions } from './package-options.js';

/** Options of an engine. */
export interface EngineOptions {
  /** Directories of plugins. A last segment `*` means every directory in its parent. */
  readonly plugins: readonly string[];
  /**
   * Directories of plugins that ship with the host, in the form of `plugins`. Their tools and hooks
   * are registered before those of installed plugins. Default: none.
   */
  readonly defaultPlugins?: readonly string[];
  /**
   * A directory whose `tools/` add to the host's tools and override those of the same name. They
   * run as the plugin `(workspace)`, with the permissions that `grant` gives it. Default: none.
   */
  readonly workspace?: string;
  /** Tools of the host. Default: none. */
  readonly coreTools?: readonly CoreTool[];
  /**
   * Whether the catalog has the tools `run_program`, with which a model runs programs that call tools, and
   * `search_tools`. `engine.runProgram` works without. Default: false.
   */
  readonly programs?: boolean;
  /**
   * What happens if two installed plugins have a tool of the same name. `isolate` (the default)
   * leaves out the later tool. `strict` leaves out all tools of the later plugin, as Vellum does.
   */
  readonly collisions?: 'isolate' | 'strict';
  /**
   * The permissions that plugins get. `'declared'`: all that they declare. `'nothing'` (the
   * default): none. By plugin id: `'declared'`, `'nothing'`, or a list that limits the declared
   * permissions. A function decides for each plugin. A plugin never gets a permission that it did
   * not declare.
   */
  readonly grant?: GrantPolicy;
  /**
   * A lock file (`bulkhead.lock.json`): the accepted plugins with their code and permissions. The
   * engine runs the plugins of the file in addition to those of `plugins`. A plugin that is not in
   * the file does not run. If a plugin changed, its accepted version runs. `grant` may give less
   * than the lock file. `reload()` reads the file again. Default: none.
   */
  readonly lockFile?: string;
  /** The plugins of the lock file that run, by id. Default: all. */
  readonly lockedPlugins?: readonly string[];
  /**
   * A file with required keys, revoked keys and revoked artifacts, outside the lock file. It applies to the
   * plugins of the lock file, at each load and rollback. Default: none.
   */
  readonly trustFile?: string;
  /**
   * The operator's configuration of each plugin: by plugin id, or from a function. Default: none.
   */
  readonly config?: ConfigPolicy;
  /**
   * The source of granted variables. It is read once, when a guest loads. Default: the host's
   * environment.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Variables whose values never enter a plugin, by plugin id and name. The plugin must declare
   * these variables and be granted them. It then sees a placeholder. The network broker inserts the
   * value at the bound places of requests and removes it from answers. The value is read once, when
   * the plugin is installed. Other variables are passed to the plugin in plain. Default: none.
   */
  readonly secrets?: Readonly<Record<string, PluginSecrets>> | ((plugin: Plugin) => PluginSecrets);
  /**
   * Ids of plugins that may run unconfined if their manifest says `sandbox: "host"`. Default: none.
   */
  readonly hostMode?: readonly string[];
  /**
   * The host's own powers, by name. A plugin needs the `powers` permission of that name to use one.
   * Default: none.
   */
  readonly powers?: readonly PowerDefinition[];
  /** The source of plugins' credentials. Default: none. */
  readonly credentials?: Credentials;
  /**
   * Decides on calls that need approval. Default: none. Then a call that needs approval waits for
   * `engine.approvals.answer` if `engine.approvals.on('request')` has a listener, and else is denied.
   */
  readonly approve?: Approver;
  /**
   * The risk that runs without approval: `strict` none, `default` low, `relaxed` low and medium,
   * `full` all. A tool that requires approval needs it under each of them. Default: the plugin
   * system's own rule. A Pandora tool needs approval if its flag says so; other tools need it if
   * their risk is high.
   */
  readonly tolerance?: Tolerance;
  /**
   * `proven` (the default): the author's risk hints may raise a tool's risk. They lower it only as
   * far as the granted permissions prove it. `author`: the author's hints apply.
   */
  readonly riskPolicy?: RiskPolicy;
  /**
   * Ids of plugins whose authors' hints may lower the risk of their tools. Requests of these plugins
   * are also exempt from `effects`. Default: none.
   */
  readonly trustHints?: readonly string[];
  /** How hooks run. Default: see each option. */
  readonly hooks?: EngineHookOptions;
  /**
   * Whether plugins are read again when their files change. A changed plugin restarts. If it cannot
   * be built, the previous version runs on. For development. Default: false.
   */
  readonly watch?: boolean;
  /**
   * A file of rules that decide before the approver. `always` answers are written to it. It may be
   * edited while the engine runs. Default: rules last until the engine closes.
   */
  readonly rules?: string;
  /**
   * What happens to a writing request (not GET, HEAD or OPTIONS) from a tool that declares that it
   * only reads. `ask` holds the request for approval. `audit` sends it and emits an event. Default:
   * `ask` if there is an approver, else `audit`. The tolerance `full` does not hold requests.
   */
  readonly effects?: EffectMode;
  /** The tools that the engine offers. Default: all. */
  readonly policy?: ToolPolicy;
  /** Caps on guests, plugins and calls. Default: see each limit. */
  readonly limits?: Partial<EngineLimits>;
  readonly network?: NetworkOptions;
  /**
   * Servers of tools that run remotely or as separate processes. The catalog lists their tools. The
   * engine does not confine them. Default: none.
   */
  readonly remotes?: readonly RemoteOptions[];
  /**
   * Milliseconds that `createEngine` and `reload` wait for the tools of the remotes. A remote that answers
   * later adds its tools to the catalog then. Default: 5,000.
   */
  readonly remotesWaitMs?: number;
  /** The engine's identity for servers that require a token. Default: none. */
  readonly identity?: IdentityOptions;
  /**
   * Ids of plugins that may run between calls, so their timers fire. Guests of other plugins are
   * suspended between calls; their due timers fire once, with the next call. Default: none.
   */
  readonly background?: readonly string[];
  /**
   * Tools whose calls may always be run a second time, by name (`plugin__tool`) or id
   * (`plugin:tool`). If a guest is killed because of another call, the engine runs a call again only
   * if its guest has sent no request, or if its tool is listed here. Default: none.
   */
  readonly idempotent?: readonly string[];
  /**
   * Tools whose calls are all recorded, by name or id, for the event `call-recorded`. Each such call
   * gets a guest of its own, without the state of earlier calls. Default: none.
   */
  readonly record?: readonly string[];
  /**
   * Plugins that may have several guests at once, by id. A guest is added when a call finds each guest
   * busy, and if `limits.maxGuests` and `limits.maxMemoryMb` have room. It ends when it is idle. `init`
   * runs in each guest, and each has a memory of its own. Under `isolation: 'tenant'`, each tenant may
   * have so many. Not for plugins of a trust group, for
   * `background`, or for extensions that register at run time. Default: one guest for each plugin.
   */
  readonly replicas?: Readonly<Record<string, ReplicaOptions>>;
  /**
   * What the calls of a plugin share, by plugin id. `plugin` (the default): the plugin's guests.
   * `tenant`: guests of one tenant only, see `CallOptions.tenant`; calls without a tenant share guests
   * too. `call`: nothing, each call gets a fresh guest. Under `tenant` and `call`, storage, credentials
   * and approvals are also separate for each tenant, and mounts are read-only. Not for plugins of a
   * trust group, of `background` or of `hostMode`, or for extensions that register at run time.
   */
  readonly isolation?: Readonly<Record<string, Isolation>>;
  /**
   * Plugins whose npm packages each run in a compartment of their own, by plugin id. `separate`: the packages get
   * nothing of the plugin's grant, and the plugin's own code gets it. `{ grant, together }` names what a package gets.
   * `together` (the default): the packages and the plugin's own code are one bundle, with one grant. `*` is for all
   * plugins that are not named. A plugin of a lock file runs as it was accepted; a `grant` here narrows what its
   * packages were accepted with. Not for plugins of `hostMode`.
   */
  readonly packages?: Readonly<Record<string, 'separate' | 'together' | PackageOptions>>;
  /**
   * The builds that npm packages in plugins use, by plugin id and package name: `node` or `browser`, for a
   * package that has both. Default: chosen for each package by what its files need.
   */
  readonly packageBuilds?: Readonly<Record<string, Readonly<Record<string, 'node' | 'browser'>>>>;
  /**
   * Groups of plugins that trust each other, by group name. The compartments of a group share one
   * process, which saves some 12 MB for each plugin after the first. A plugin that breaks out of
   * its compartment gets the permissions of its whole group. If one plugin is killed, the process
   * of the group ends, and the next call starts another. Default: each plugin has its own process.
   */
  readonly trustGroups?: Readonly<Record<string, readonly string[]>>;
  /**
   * The local time zone of plugins with the `time` permission, as an IANA name such as
   * `Europe/Berlin`. Plugins without it, and the plugins of trust groups, get UTC. Default: the
   * host's zone.
   */
  readonly timeZone?: string;
  /**
   * What the clocks of plugins show when they load, in milliseconds since the epoch, for tests. They run
   * on from there. Default: the machine's time.
   */
  readonly startTime?: number;
  /**
   * For authors: opens Node's inspector in each guest, so that a debugger on this machine can stop the plugin's
   * code. A guest waits for the debugger before it loads the plugin, has no deadlines, and lacks Node's permission
   * model; the kernel's walls stay. The address has a random name: who knows it can run code in the guest. Not with
   * `lockFile`, `walls.require`, `trustGroups` or `packages`. Default: no inspector.
   */
  readonly inspector?: InspectorSpec;
  /** The walls to require or activate. Default: see each option. */
  readonly walls?: WallOptions;
  /** The directory of cached bundles and descriptions. Default: `bulkhead` in the user's cache. */
  readonly cacheDirectory?: string;
  /**
   * The directory of plugin storage, with one subdirectory for each plugin that has the `storage`
   * permission. Its subdirectory `.approvals` has the approvals, which outlive the engine. It is created when it is first needed. Default: `bulkhead/storage` in the user's
   * data directory.
   */
  readonly storageDirectory?: string;
  /**
   * The file of the keys that encrypt the plugins' enclaves (`spindle.enclave`): one key of 32 bytes
   * in base64 on each line, mode 0600, outside of the storage directory. The first key encrypts; all
   * decrypt. If it does not exist, it is created when the first value is stored. Back it up: without
   * it the values are lost. Default: `bulkhead/enclave.key` in the user's configuration directory.
   */
  readonly enclaveKeyFile?: string;
  /**
   * Receives the log lines of the plugins and of the engine. Default: warnings and errors to
   * stderr.
   */
  readonly logger?: Logger;
  /** Receives the engine's events. Default: none. */
  readonly onEvent?: EventListener;
  /** Where the audit log is written. Default: nowhere. */
  readonly audit?: AuditOptions;
}

/** What shares a guest: all calls of a plugin, those of one tenant, or one call alone. */
export type Isolation = 'plugin' | 'tenant' | 'call';

/** How many guests a plugin may have. */
export interface ReplicaOptions {
  /** Most guests at once, from 1 to 64. */
  readonly max: number;
}

export type GrantPolicy =
  | 'declared'
  | 'nothing'
  | Readonly<Record<string, PluginGrant>>
  | ((plugin: Plugin) => PluginGrant);

/**
 * What one plugin gets. Permissions limit what it declares. With `declared: true` they add to it:
 * `{ declared: true, network: ['api.example.com'] }` is all that it declares, and that host for a
 * plugin whose system cannot declare hosts.
 */
export type PluginGrant =
  | 'declared'
  | 'nothing'
  | (Partial<Permissions> & { readonly declared?: true });

/** By the variable's name: `{ API_KEY: { hosts: ['api.example.com'], in: ['header:x-api-key'] } }`. */
export type PluginSecrets = Readonly<Record<string, SecretBinding>>;

export type ConfigPolicy =
  | Readonly<Record<string, PluginConfig>>
  | ((plugin: Plugin) => PluginConfig | undefined);

/** Configuration of one plugin: three fields of the engine, and the plugin's own config fields. */
export interface PluginConfig {
  /** Whether the plugin is enabled. Default: true. */
  readonly enabled?: boolean;
  /** By tool id: whether it needs approval. Overrides the manifest. */
  readonly requireApproval?: Readonly<Record<string, boolean>>;
  readonly [field: string]: Json | undefined;
}

export interface WallOptions {
  /** Walls that the engine needs to start. `guarantees()` lists the active walls. Default: none. */
  readonly require?: readonly WallName[];
  /** Optional walls to activate if the machine supports them. Default: `DEFAULT_WALLS`. */
  readonly use?: readonly OptionalWall[];
  /**
   * Activates all optional walls. `no-jit` makes plugins compute some ten times slower. Default:
   * false.
   */
  readonly paranoid?: boolean;
  /**
   * The user ids for guests if root runs the host: the first one and their number. No account, and no
   * range of `/etc/subuid` or `/etc/subgid`, may have one of them. Default: 10,000 ids from
   * 1,900,000,000 on; in a container without these ids, 1,000 ids below 65,534.
   */
  readonly users?: { readonly first: number; readonly count: number };
}

export interface NetworkOptions {
  /** Sends requests for `host` to `url` instead (chosen by the operator; plain HTTP is allowed). */
  readonly overrides?: readonly { readonly host: string; readonly url: string }[];
  /** Additional certificate authorities, PEM. */
  readonly ca?: readonly string[];
  /** An upstream HTTP proxy for all requests. */
  readonly proxy?: string;
  /**
   * Answers the requests of confined plugins in place of the network, e.g. with the host's own HTTP
   * client or in a test. Grants, caps and secrets apply as usual; nothing is dialled, so the addresses
   * behind names are not checked. Redirects come back to it. Default: none.
   */
  readonly answer?: (request: Request) => Response | Promise<Response>;
}

/** The subset of pino's interface that the engine uses. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Options of one call. */
export interface CallOptions {
  /**
   * Cancels the call: the caller gets `CANCELLED` at once, the plugin's signal and the requests made
   * with it are aborted, and a later answer is dropped. Code of the call that ignores the signal may
   * run on until its guest ends: see docs/limits.md.
   */
  readonly signal?: AbortSignal;
  /** A deadline in milliseconds, if it is shorter than the tool's own. Default: the tool's own. */
  readonly timeoutMs?: number;
  /** The context that the plugin's system passes to a tool with its input. Default: none. */
  readonly context?: JsonObject;
  /**
   * Whether the input may violate the tool's schema, as in a Spindle council, where the caller does
   * not know the schema. Default: false.
   */
  readonly incomplete?: boolean;
  /**
   * The tenant of the call. An approval for one tenant does not apply to another. Queued calls of
   * different tenants alternate. The option `isolation` can give each tenant guests of its own.
   * Default: one tenant for all calls.
   */
  readonly tenant?: string;
  /**
   * The tools that this call's channel may use, in addition to the engine's policy. Default: all.
   */
  readonly policy?: ToolPolicy;
  /**
   * Whether the run is unattended (a schedule). Only tools that may run unattended run then, and
   * the approver is not asked. `context.isInteractive: false` also prevents approval requests.
   * Default: false.
   */
  readonly unattended?: boolean;
  /**
   * Stops the tool's changes and lists them in the result. The approver is not asked. The call gets
   * its own guest. Default: false.
   */
  readonly dryRun?: boolean;
  /**
   * Receives the tool's output while it runs, in order. It is not called after the answer. Tools of
   * systems without such output never call it.
   */
  readonly onOutput?: (chunk: string) => void;
  /**
   * Receives the progress that an MCP server reports. It is not called after the answer. Default:
   * none.
   */
  readonly onProgress?: (progress: CallProgress) => void;
  /**
   * The client on whose behalf the call runs. An MCP server may ask it for input: a remote if its option
   * `allow` permits that, a plugin with the powers `elicitation` and `sampling`. Default: none.
   */
  readonly client?: CallClient;
  /**
   * Records what crosses the boundary during this call: see `CallResult.recording`. The call gets
   * its own guest. Default: false.
   */
  readonly record?: boolean;
  /** Decides on approval for this call alone, if the engine has no approver. */
  readonly approve?: Approver;
  /**
   * The id of an approval from `engine.approvals.request`, or of a question that was not answered in
   * time. The call spends it and runs once. An approval is a pointer: only the stored answer to
   * exactly this call approves. Default: none.
   */
  readonly approval?: string;
}
