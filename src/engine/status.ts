import type { FormatName } from '../plugin/plugin.js';
import type { Permissions } from '../permissions/kind.js';
import type { ErrorCode } from '../errors.js';
import type { CatalogTool } from '../catalog/catalog.js';

/** One installed plugin as the engine sees it. Plain data. */
export interface PluginStatus {
  readonly id: string;
  readonly format: FormatName | undefined;
  readonly directory: string;
  readonly name: string;
  readonly version: string | undefined;
  /** `active`: its tools are in the catalog. `inactive`: by configuration. `failed`: see problems. */
  readonly state: 'active' | 'inactive' | 'failed';
  readonly problems: readonly { readonly code: ErrorCode; readonly message: string }[];
  readonly alerts: readonly { readonly level: 'info' | 'warning'; readonly message: string }[];
  readonly entries: readonly EntryStatus[];
  readonly tools: readonly CatalogTool[];
}

export interface EntryStatus {
  readonly key: string;
  readonly file: string;
  readonly confinement: 'compartment' | 'host';
  /** Hash of the bundle; absent where it could not be made. */
  readonly bundle?: string;
  readonly declared: Permissions;
  /** What it has: declared and granted. */
  readonly effective: Permissions;
}
