import type { CatalogTool } from '../../catalog/catalog.js';
import type { SecretBinding } from '../../brokers/network/secrets/binding.js';
import type { ErrorCode } from '../../errors.js';
import type { PermissionName, Permissions } from '../../permissions/kind.js';
import type { Edition, FormatName } from '../../plugin/plugin.js';
import type { PluginAlert } from '../../plugin/tool.js';
import type { RemoteKind } from '../../remotes/remote.js';

/** One plugin that was found, as the engine sees it. Plain data. */
export interface PluginStatus {
  readonly id: string;
  /** Absent where its directory holds no plugin that can be read. */
  readonly format: FormatName | RemoteKind | undefined;
  /** Of a server of tools: its URL, or the command that it is. */
  readonly directory: string;
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  /** `active`: its tools are in the catalog. `inactive`: by configuration. `failed`: see problems. */
  /** The trust group with whose plugins it shares a process; absent where it shares none. */
  readonly trustGroup?: string;
  readonly state: 'active' | 'inactive' | 'failed';
  readonly problems: readonly PluginProblem[];
  readonly alerts: readonly PluginAlert[];
  readonly entries: readonly EntryStatus[];
  readonly tools: readonly CatalogTool[];
}

export interface PluginProblem {
  readonly code: ErrorCode;
  readonly message: string;
  /** The tool that alone is refused for it. */
  readonly toolId?: string | undefined;
}

export interface EntryStatus {
  readonly key: string;
  readonly surface: 'tools' | 'agents' | 'channels';
  readonly file: string;
  readonly confinement: 'compartment' | 'host';
  /** Hash of the bundle; absent where it could not be made. */
  readonly bundle?: string;
  readonly declared: Permissions;
  /**
   * Its system has no place for permissions, or not for those: it may be given what the host says,
   * whatever it declares.
   */
  readonly undeclared?: true | readonly PermissionName[];
  /** Of a Vellum plugin: which plugin API it was written for, and the hooks that it has. */
  readonly edition?: Edition;
  readonly hooks?: readonly string[];
  /** What it has: declared and granted. */
  readonly effective: Permissions;
  /**
   * The variables among them that it holds by reference: their values never enter it. It was handed
   * the others as they are.
   */
  readonly secrets: readonly SecretStatus[];
}

export interface SecretStatus extends SecretBinding {
  /** The variable's name. */
  readonly name: string;
}
