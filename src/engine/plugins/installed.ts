import { basename } from 'node:path';
import { WireError } from '../../../sandbox/wire/failure.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { UnnamedTool } from '../../catalog/catalog.js';
import { type BuildProblem, type BulkheadError, isBulkheadError } from '../../errors.js';
import type { Activation } from '../../formats/format.js';
import type { Grant } from '../../permissions/grant.js';
import type { Permissions } from '../../permissions/kind.js';
import { adviceFor } from '../../plugin/absent-globals.js';
import type { Plugin, PluginEntry } from '../../plugin/plugin.js';
import type { Contributions } from '../../plugin/tool.js';
import { placeOfProblem } from '../../schema/json-text.js';
import type { PluginQueue } from '../../scheduler/call-scheduler.js';
import { leave } from '../instance/in-flight.js';
import type { Instance } from '../instance/instance.js';
import type { Quarantine } from '../instance/quarantine.js';
import { makeServerNotices, type ServerNotices } from '../instance/server-notices.js';
import type { PluginProblem } from '../types/status.js';
import { NOTHING } from './grants.js';

/** An installed plugin with the state of each entry. */
export interface InstalledPlugin {
  readonly plugin: Plugin;
  readonly activation: Activation;
  /** The operator's configuration, whether the plugin is active or not. */
  readonly config: JsonObject;
  readonly entries: readonly InstalledEntry[];
  readonly problems: readonly PluginProblem[];
  /** The queue for calls of all of its tools. */
  readonly queue: PluginQueue;
  readonly quarantine: Quarantine;
  /** Whether it may run between calls. */
  readonly background: boolean;
  /** The problems of the version on disk, if an older version still runs. */
  readonly stale?: readonly PluginProblem[];
  /** What its calls share, if that is less than the plugin's guests. */
  readonly isolation?: 'tenant' | 'call';
  /** The trust group with which it shares a process. Absent if it has its own. */
  readonly trustGroup?: string;
}

/** The current plugins of an engine, in the order of registration. */
export interface PluginTable {
  list(): readonly InstalledPlugin[];
  replace(next: readonly InstalledPlugin[]): void;
  /** Reports that a plugin of the table has other contributions, or another grant. */
  changed(): void;
  onChange(listener: () => void): void;
  readonly notices: ServerNotices;
}

export function makePluginTable(): PluginTable {
  let plugins: readonly InstalledPlugin[] = [];
  const listeners: (() => void)[] = [];
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    list: () => plugins,
    replace: (next) => {
      plugins = next;
    },
    changed,
    onChange: (listener) => {
      listeners.push(listener);
    },
    notices: makeServerNotices(),
  };
}

export function byId(installed: readonly InstalledPlugin[]): ReadonlyMap<string, InstalledPlugin> {
  return new Map(installed.map((one) => [one.plugin.id, one]));
}

export interface InstalledEntry {
  readonly entry: PluginEntry;
  /** Its declared and granted permissions. None if the entry does not run. */
  readonly effective: Permissions;
  /** The instances of its tools: one, and one more for each narrower set of permissions. */
  readonly instances: readonly Instance[];
  /** Its contributions. Absent if it was not queried or did not answer. */
  readonly contributions: Contributions | undefined;
  readonly tools: readonly RunnableTool[];
  readonly problems: readonly PluginProblem[];
  /** Applies changes to the entry while it runs. Absent if it does not run. */
  readonly live?: LiveEntry;
}

export interface LiveEntry {
  /**
   * Changes the grant. When this returns, the host refuses what is no longer granted. When the
   * promise resolves, the guests refuse it too.
   */
  updateGrant(grant: Grant): Promise<void>;
  /** Queries the entry's contributions again and replaces the former ones. */
  refresh(): Promise<void>;
  /** Reads the contributions that it has again: what of them is accepted has changed. */
  readAgain(): void;
}

export interface RunnableTool {
  readonly listed: UnnamedTool;
  readonly instance: Instance;
  /** Happens when a permission that the tool needs is revoked. Running calls then end. */
  readonly revoked: Revocation;
}

/** An entry that does not run, with the problems that prevent it. */
export function idle(entry: PluginEntry, problems: readonly PluginProblem[] = []): InstalledEntry {
  return {
    entry,
    effective: NOTHING,
    instances: [],
    contributions: undefined,
    tools: [],
    problems,
  };
}

/** The operator's message about an entry that does not run. `mapStack` finds its place in the sources. */
export function asProblem(error: unknown, mapStack?: (stack: string) => string): PluginProblem {
  if (isBulkheadError(error)) {
    const places = placesOf(error);
    const { code, message } = error;
    return { code, message, ...(places.length === 0 ? {} : { places }) };
  }
  if (error instanceof WireError) {
    const message = error.message + adviceFor(error.remote.name, error.message);
    const { stack } = error.remote;
    const at = stack === undefined ? undefined : topFrame(mapStack?.(stack) ?? '');
    return { code: error.code ?? 'LOAD_FAILED', message, ...(at === undefined ? {} : { at }) };
  }
  throw error;
}

function placesOf(error: BulkheadError): readonly BuildProblem[] {
  if (isBulkheadError(error, 'BUNDLE_FAILED')) return error.details.problems;
  if (isBulkheadError(error, 'INVALID_MANIFEST')) {
    const { file, problems } = error.details;
    const place = placeOfProblem(problems[0] ?? '');
    return place === undefined
      ? []
      : [{ ...place, file: basename(file), remedy: 'Correct the manifest at this place.' }];
  }
  if (!isBulkheadError(error, 'OUTSIDE_PLUGIN') || error.details.file === undefined) return [];
  const { path: _, ...place } = error.details;
  return [{ ...place, message: error.message }];
}

/** The first place of a mapped stack in the plugin's own files, else in a dependency. */
function topFrame(stack: string): string | undefined {
  const places = [...stack.matchAll(/^ {4}at (?:.* \()?([^\s()]+:\d+:\d+)\)?$/gm)].map(
    ([, place]) => place,
  );
  return places.find((place) => place?.includes('node_modules/') !== true) ?? places[0];
}

/**
 * Ends the running calls of a tool when the tool is revoked. Each call adds a listener to a list.
 * An `AbortSignal` would cost a call more than the rest of the host's work for it.
 */
export interface Revocation {
  on(listener: () => void): void;
  off(listener: () => void): void;
  /** Calls each listener once. */
  happen(): void;
}

export function makeRevocation(): Revocation {
  return new MadeRevocation();
}

class MadeRevocation implements Revocation {
  listeners: (() => void)[] = [];

  on(listener: () => void): void {
    this.listeners.push(listener);
  }

  off(listener: () => void): void {
    leave(this.listeners, listener);
  }

  happen(): void {
    const listeners = this.listeners;
    this.listeners = [];
    for (const listener of listeners) listener();
  }
}
