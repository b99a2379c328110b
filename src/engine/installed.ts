import type { UnnamedTool } from '../catalog/catalog.js';
import type { Permissions } from '../permissions/kind.js';
import type { Plugin, PluginEntry } from '../plugin/plugin.js';
import type { PluginAlert } from '../plugin/tool.js';
import type { OpenEntry } from './entry.js';
import type { PluginProblem } from './status.js';

/** A plugin that was found, with what became of each of its entries. */
export interface Installed {
  readonly plugin: Plugin;
  /** Why it is not active; empty where it is. */
  readonly inactive: readonly string[];
  readonly entries: readonly InstalledEntry[];
  readonly problems: readonly PluginProblem[];
  /** Calls under way in all of its tools. */
  readonly load: { underWay: number };
}

export interface InstalledEntry {
  readonly entry: PluginEntry;
  /** What it was granted of what it declares; nothing where it does not run. */
  readonly effective: Permissions;
  /** The guests that its tools run in: one, and one more for every narrower set of permissions. */
  readonly rooms: readonly OpenEntry[];
  readonly tools: readonly RunnableTool[];
  readonly alerts: readonly PluginAlert[];
  readonly problems: readonly PluginProblem[];
}

export interface RunnableTool {
  readonly listed: UnnamedTool;
  readonly room: OpenEntry;
}
