import type { DialectWorld } from '../dialect.js';
import { callUnawaited, demandCallback, makeCallbacks } from './callbacks.js';
import { strict } from './strict.js';

/** The extension's current Spindle permissions, and listeners to their changes. */
export interface HeldPermissions {
  has(name: string): boolean;
  /** Reports to the extension that an operation was skipped for lack of a permission. */
  deny(permission: string, operation: string): void;
  /** Calls the listener after the callbacks of `onDenied`. */
  watchDenials(listener: (denial: PermissionDenial) => void): void;
  /** Replaces the permissions and reports each that was added or removed. */
  replace(names: readonly string[]): void;
  /** Calls the listener after each change. */
  watch(listener: (change: PermissionChange) => void, when?: 'before' | 'after'): void;
  /** `spindle.permissions`. */
  readonly api: object;
}

interface PermissionDenial {
  readonly permission: string;
  /** The member that was skipped, e.g. `registerTool`. */
  readonly operation: string;
}

interface PermissionChange {
  readonly extensionId: string;
  readonly permission: string;
  readonly granted: boolean;
  readonly allGranted: readonly string[];
}

export function makePermissions(world: DialectWorld): HeldPermissions {
  /** The permissions at the last report to the extension. */
  let held = namesHeld(world.grant.powers ?? []);
  const isHeld = (name: string): boolean => namesHeld(world.grant.powers ?? []).has(name);
  const denied = makeCallbacks();
  const changed = makeCallbacks();
  const denialWatchers: ((denial: PermissionDenial) => void)[] = [];
  const watchers: Record<'before' | 'after', ((change: PermissionChange) => void)[]> = {
    before: [],
    after: [],
  };

  const notify = (permission: string, granted: boolean): void => {
    const change = (): PermissionChange => ({
      extensionId: world.powers.plugin.id,
      permission,
      granted,
      allGranted: [...held],
    });
    for (const watcher of watchers.before) watcher(change());
    for (const callback of changed.list()) void callUnawaited(world, callback, [change()]);
    for (const watcher of watchers.after) watcher(change());
  };

  return {
    has: isHeld,
    deny: (permission, operation) => {
      world.log('warn', [`${operation} was not done: the permission ${permission} is not granted`]);
      // In a later job: code that has not run yet may register listeners.
      world.powers.clock.setTimeout(() => {
        for (const callback of denied.list()) {
          void callUnawaited(world, callback, [{ permission, operation }]);
        }
        for (const watcher of denialWatchers) watcher({ permission, operation });
      }, 0);
    },
    watchDenials: (listener) => {
      denialWatchers.push(listener);
    },
    replace: (names) => {
      const before = held;
      held = namesHeld(names);
      for (const name of before) if (!held.has(name)) notify(name, false);
      for (const name of held) if (!before.has(name)) notify(name, true);
    },
    watch: (listener, when = 'before') => {
      watchers[when].push(listener);
    },
    api: strict('spindle.permissions', {
      has: (name: unknown): boolean => typeof name === 'string' && isHeld(name),
      getGranted: (): Promise<string[]> =>
        Promise.resolve([...namesHeld(world.grant.powers ?? [])]),
      onDenied: (callback: unknown): (() => void) =>
        denied.add(demandCallback(callback, 'spindle.permissions.onDenied')),
      onChanged: (callback: unknown): (() => void) =>
        changed.add(demandCallback(callback, 'spindle.permissions.onChanged')),
    }),
  };
}

/** The permissions without `spindle`, which every extension has. */
function namesHeld(names: readonly string[]): Set<string> {
  return new Set(names.filter((name) => name !== 'spindle'));
}

/** The error of a request without its permission, in the words of the original. */
export function permissionDenied(permission: string): Error {
  const words = permission.replaceAll('_', ' ');
  const named = `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
  return new Error(`PERMISSION_DENIED: ${permission} — ${named} permission not granted`);
}

/**
 * Whether changes are currently allowed. They are denied while a macro is resolved without
 * committing (a preview, a token count).
 */
export interface Mutations {
  /** Throws while a macro is resolved without committing. */
  allow(operation: string): void;
  /** Refuses changes until the result of `resolve` has settled. */
  refuseDuring<Value>(resolve: () => Promise<Value>): Promise<Value>;
}

export function makeMutations(): Mutations {
  let refusing = 0;
  return {
    allow: (operation) => {
      if (refusing === 0) return;
      throw new Error(`${operation}() is not allowed during non-committing macro resolution`);
    },
    refuseDuring: async (resolve) => {
      refusing += 1;
      try {
        return await resolve();
      } finally {
        refusing -= 1;
      }
    },
  };
}
