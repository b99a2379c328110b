import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { UnnamedTool } from '../../catalog/catalog.js';
import type { Activation } from '../../formats/format.js';
import type { Grant } from '../../permissions/grant.js';
import type { Permissions } from '../../permissions/kind.js';
import type { Plugin, PluginEntry } from '../../plugin/plugin.js';
import type { Offer } from '../../plugin/tool.js';
import type { Lane } from '../../traffic/traffic.js';
import type { OpenEntry } from '../entry/entry.js';
import type { Quarantine } from '../entry/quarantine.js';
import type { Revocation } from '../call/revocation.js';
import type { PluginProblem } from './status.js';

/** A plugin that was found, with what became of each of its entries. */
export interface Installed {
  readonly plugin: Plugin;
  readonly activation: Activation;
  /** What the operator configured, active or not. */
  readonly config: JsonObject;
  readonly entries: readonly InstalledEntry[];
  readonly problems: readonly PluginProblem[];
  /** The calls of all of its tools. */
  readonly lane: Lane;
  readonly quarantine: Quarantine;
  /** What is wrong with the version on disk, where an older one runs on for it. */
  readonly stale?: readonly PluginProblem[];
  /** The trust group whose process holds it; absent where it has its own. */
  readonly trustGroup?: string;
}

export function byId(installed: readonly Installed[]): ReadonlyMap<string, Installed> {
  return new Map(installed.map((one) => [one.plugin.id, one]));
}

export interface InstalledEntry {
  readonly entry: PluginEntry;
  /** What it was granted of what it declares; nothing where it does not run. */
  readonly effective: Permissions;
  /** The guests that its tools run in: one, and one more for every narrower set of permissions. */
  readonly rooms: readonly OpenEntry[];
  /** What it said that it offers; absent where it was not asked, or did not answer. */
  readonly offer: Offer | undefined;
  readonly tools: readonly RunnableTool[];
  readonly problems: readonly PluginProblem[];
  /** Where it runs: how it follows what it is granted. */
  readonly running?: RunningEntry;
}

export interface RunningEntry {
  /**
   * Its grant is this from now on: the host refuses what is no longer granted when this returns, and
   * so do its guests when it resolves.
   */
  follow(grant: Grant): Promise<void>;
  /** Asks it anew what it offers, as it now is. What it answers is what it offers from then on. */
  refresh(): Promise<void>;
}

export interface RunnableTool {
  readonly listed: UnnamedTool;
  readonly room: OpenEntry;
  /** Aborted when what it rests on is taken from its plugin: calls under way end with it. */
  readonly revoked: Revocation;
}
