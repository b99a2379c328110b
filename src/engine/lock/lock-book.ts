import { removeStore } from '../../brokers/storage/store.js';
import { readPlugin } from '../../formats/discover.js';
import { type Changes, changesBetween } from '../../lock/changes.js';
import { compact } from '../../lock/compact.js';
import { writeKept } from '../../lock/kept.js';
import { type Lock, type LockedPlugin, MAX_EARLIER, type Pin } from '../../lock/lock.js';
import { BulkheadError } from '../../errors.js';
import { makeEventBus } from '../../events.js';
import type { Permissions } from '../../permissions/kind.js';
import { openMachinery } from '../machinery.js';
import type { EngineOptions } from '../options/options.js';
import { diskReader } from '../powers/disk-reader.js';
import { readSettings } from '../options/settings.js';
import { pluginAsItIs } from './discover-locked.js';
import { examine, type Examined } from './examine.js';
import { openLock } from './open-lock.js';

/** What somebody says yes to, when a plugin is accepted. */
export interface Acceptance {
  readonly granted: Permissions;
  readonly trustHints?: boolean;
  readonly unconfined?: boolean;
  /** Who says so. */
  readonly by: string;
}

/** How a locked plugin stands: what lies in its directory is what was accepted, another, or nothing. */
export type LockState = 'as-accepted' | 'changed' | 'missing' | 'broken';

/** A lock file, to be read, compared with what is there, and changed. */
export interface LockBook {
  readonly path: string;
  /** Throws `INVALID_LOCK`, as everything here does. */
  read(): Lock;
  /**
   * The id that somebody means: it itself, or what follows the scope of one alone (`weather` for
   * `@pandorakit/weather`). Throws `NOT_LOCKED`.
   */
  idOf(text: string): string;
  /** Absolute path of a locked plugin's directory. Throws `NOT_LOCKED`. */
  directoryOf(id: string): string;
  /** Looks at a plugin without accepting it. Throws what reading and building it throws. */
  examine(directory: string): Promise<Examined>;
  /** What changed since it was accepted. */
  changes(id: string, examined: Examined): Changes;
  /** Makes what was examined what runs, from the next load on. What it was is kept. */
  accept(examined: Examined, acceptance: Acceptance): LockedPlugin;
  remove(id: string): void;
  /** Removes what the host keeps for a plugin of that id. Resolves with whether there was anything. */
  removeStorage(id: string): Promise<boolean>;
  setDisabled(id: string, disabled: boolean): void;
  /** Goes back to what was accepted before. Throws `NOT_LOCKED` where there is nothing to go back to. */
  rollback(id: string, by: string): LockedPlugin;
  /** Compares without running anything. */
  check(): Promise<Readonly<Record<string, LockState>>>;
}

/** `options` are those of the engine, as far as reading and building plugins needs them. */
export function openLockBook(path: string, options: EngineOptions): LockBook {
  const lock = openLock(path);

  const locked = (id: string, { plugins } = lock.read()): LockedPlugin => {
    const found = Object.hasOwn(plugins, id) ? plugins[id] : undefined;
    if (found === undefined) throw notLocked(id, lock.path);
    return found;
  };
  /** `make` is given the lock as it is when nobody else changes it. */
  const put = (id: string, make: (now: Lock) => LockedPlugin): LockedPlugin => {
    let made: LockedPlugin | undefined;
    lock.change((now) => {
      made = make(now);
      return { version: 1, plugins: { ...now.plugins, [id]: made } };
    });
    return made ?? locked(id);
  };

  return {
    path: lock.path,
    read: lock.read,
    idOf: (text) => {
      const ids = Object.keys(lock.read().plugins);
      const meant = ids.includes(text) ? [text] : ids.filter((id) => id.endsWith(`/${text}`));
      const [id] = meant;
      if (id === undefined || meant.length > 1) throw notLocked(text, lock.path);
      return id;
    },
    directoryOf: (id) => lock.directoryOf(locked(id).source),
    examine: (directory) => examine(directory, options),
    changes: (id, examined) => changesBetween(locked(id), describedOf(examined)),
    accept: (examined, acceptance) => {
      const { plugin, kept } = examined;
      lock.keep(kept.address, kept.text);
      return put(plugin.id, ({ plugins }) => {
        const before = Object.hasOwn(plugins, plugin.id) ? plugins[plugin.id] : undefined;
        return {
          format: plugin.format,
          source: lock.sourceOf(plugin.directory),
          ...(before?.disabled === true ? { disabled: true } : {}),
          ...pinOf(examined, acceptance),
          ...(before === undefined ? {} : { earlier: earlierOf(before, kept.address) }),
        };
      });
    },
    remove: (id) => {
      lock.change((now) => {
        locked(id, now);
        const { [id]: _, ...plugins } = now.plugins;
        return { version: 1, plugins };
      });
    },
    removeStorage: (id) =>
      removeStore(readSettings({ ...options, plugins: [] }).storageDirectory, id),
    setDisabled: (id, disabled) => {
      put(id, (now) => {
        const { disabled: _, ...plugin } = locked(id, now);
        return disabled ? { ...plugin, disabled: true } : plugin;
      });
    },
    rollback: (id, by) =>
      put(id, (now) => {
        const { format, source, disabled, earlier = [], ...pin } = locked(id, now);
        const [before, ...rest] = earlier;
        if (before === undefined) throw nothingEarlier(id, lock.path);
        return {
          format,
          source,
          ...(disabled === undefined ? {} : { disabled }),
          ...before,
          by,
          at: new Date().toISOString(),
          earlier: [...rest, pin].slice(0, MAX_EARLIER),
        };
      }),
    check: async () => {
      const settings = readSettings({ ...options, plugins: [] });
      const machinery = await openMachinery(settings, makeEventBus(Date.now));
      const stateOf = async (plugin: LockedPlugin): Promise<LockState> => {
        const directory = lock.directoryOf(plugin.source);
        if ((await diskReader.stat(directory)) !== 'directory') return 'missing';
        try {
          const { plugin: model } = await readPlugin(diskReader, directory);
          const { address } = writeKept(await pluginAsItIs(model, machinery.bundle));
          return address === plugin.kept ? 'as-accepted' : 'changed';
        } catch {
          return 'broken';
        }
      };
      try {
        const states: Record<string, LockState> = {};
        for (const [id, plugin] of Object.entries(lock.read().plugins)) {
          states[id] = await stateOf(plugin);
        }
        return states;
      } finally {
        machinery.close();
      }
    },
  };
}

function describedOf(examined: Examined): Omit<Pin, 'by' | 'at'> {
  const { plugin, declared, bundles, tools, hosts, kept, unconfined } = examined;
  return {
    ...(plugin.version === undefined ? {} : { version: plugin.version }),
    bundles,
    kept: kept.address,
    granted: compact(declared),
    tools,
    hosts,
    ...(unconfined ? { unconfined: true } : {}),
  };
}

function pinOf(examined: Examined, acceptance: Acceptance): Pin {
  const { granted, trustHints = false, unconfined = false, by } = acceptance;
  const { granted: declared, unconfined: _, ...described } = describedOf(examined);
  const given = compact(granted);
  const differs = JSON.stringify(given) !== JSON.stringify(declared);
  return {
    ...described,
    granted: given,
    ...(differs ? { declared } : {}),
    ...(trustHints ? { trustHints } : {}),
    ...(unconfined ? { unconfined } : {}),
    by,
    at: new Date().toISOString(),
  };
}

function earlierOf(before: LockedPlugin, next: string): readonly Pin[] {
  const { format: _, source: __, disabled: ___, earlier = [], ...pin } = before;
  // What is accepted again as it is has no version before it that differs.
  return before.kept === next ? earlier : [pin, ...earlier].slice(0, MAX_EARLIER);
}

function notLocked(id: string, path: string): BulkheadError<'NOT_LOCKED'> {
  return new BulkheadError('NOT_LOCKED', `${id} is not in ${path}. See \`bulkhead list\`.`, {
    plugin: id,
  });
}

function nothingEarlier(id: string, path: string): BulkheadError<'NOT_LOCKED'> {
  return new BulkheadError(
    'NOT_LOCKED',
    `${path} knows no earlier version of ${id} to go back to.`,
    { plugin: id },
  );
}
