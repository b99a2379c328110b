import type { SecretBinding } from '../../brokers/network/secrets/secret.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { BuildProblem, ErrorCode } from '../../errors.js';
import type { PermissionName, Permissions } from '../../permissions/kind.js';
import type { Edition, FormatName } from '../../plugin/plugin.js';
import type { PluginAlert } from '../../plugin/tool.js';
import type { DeniedUse } from './result.js';

/** The status of one plugin in the engine. Plain data. */
export interface PluginStatus {
  readonly id: string;
  /** The plugin system, or the kind of remote. Absent if the plugin cannot be read. */
  readonly format: FormatName | undefined;
  /** For a server of tools: its URL or its command. */
  readonly directory: string;
  /** Where the tools of a server run; `remote`: elsewhere. Absent for a plugin: see `entries`. */
  readonly confinement?: 'remote' | 'host' | 'sandbox-runtime';
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  /** The trust group with which it shares a process. Absent if it has its own. */
  readonly trustGroup?: string;
  /** Present if its author says that its calls do not depend on its memory: a hint for `replicas`. */
  readonly stateless?: true;
  /** What its calls share, if the option `isolation` says less than the plugin's guests. */
  readonly isolation?: 'tenant' | 'call';
  /**
   * `active`: its tools are in the catalog. `inactive`: disabled by configuration. `failed`: see
   * problems.
   */
  readonly state: 'active' | 'inactive' | 'failed';
  readonly problems: readonly PluginProblem[];
  readonly alerts: readonly PluginAlert[];
  readonly entries: readonly EntryStatus[];
  readonly tools: readonly CatalogTool[];
  /** The agents that it provides, for `engine.agent({ agent: id })`. Absent if there are none. */
  readonly agents?: readonly PluginAgent[];
  /** What it ships and this engine does not run: `skills/plan`, `channels`. Absent if there is nothing. */
  readonly notRun?: readonly string[];
  /**
   * Events that it handles and does not get, because the option `background` does not name it.
   * Absent if there are none.
   */
  readonly unreachedEvents?: readonly string[];
}

/** An agent of a plugin. Its texts are its author's. */
export interface PluginAgent {
  /** `pluginId:agentId`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The system prompt. */
  readonly instructions: string;
  /** Ids of the tools that it uses, also of other plugins. It gets no other tool. */
  readonly useTools: readonly string[];
}

export interface PluginProblem {
  readonly code: ErrorCode;
  readonly message: string;
  /** Present if the problem affects only this tool. */
  readonly toolId?: string | undefined;
  /** The place in the plugin's sources, e.g. `src/index.ts:14:21`. Unverified: from the guest. */
  readonly at?: string;
  /** Each place that could not be built. Absent if the plugin was built. */
  readonly places?: readonly BuildProblem[];
  /** The requests that were denied while the plugin was loaded, if that failed. */
  readonly denied?: readonly DeniedUse[];
}

export interface EntryStatus {
  readonly key: string;
  readonly surface: 'tools' | 'agents' | 'channels';
  readonly file: string;
  readonly confinement: 'compartment' | 'host';
  /** sha512 of the accepted artifact, or without a lock file of the code. Absent if it could not be built. */
  readonly bundle?: string;
  readonly declared: Permissions;
  /**
   * Permissions that the plugin's system cannot declare. The host may grant these without a
   * declaration. `true`: all of them.
   */
  readonly undeclared?: true | readonly PermissionName[];
  /** For a Vellum plugin: the version of its plugin API, and its hooks. */
  readonly edition?: Edition;
  readonly hooks?: readonly string[];
  /** The permissions that are declared and granted. */
  readonly effective: Permissions;
  /**
   * The granted variables that the plugin gets by reference. Their values never enter it. Other
   * variables are passed in plain.
   */
  readonly secrets: readonly SecretStatus[];
}

export interface SecretStatus extends SecretBinding {
  /** The variable's name. */
  readonly name: string;
}
