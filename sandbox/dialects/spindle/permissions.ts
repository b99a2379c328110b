import type { DialectWorld } from '../dialect.js';
import { callUnawaited, demandCallback, makeCallbacks } from './callbacks.js';
import { strict } from './strict.js';

/** Which of Spindle's permissions the extension holds at present, and who wants to hear of it. */
export interface HeldPermissions {
  has(name: string): boolean;
  /** Tells the extension that something was not done for lack of a permission. */
  deny(permission: string, operation: string): void;
  /** Takes the names that are held from now on; tells of each that came or went. */
  replace(names: readonly string[]): void;
  /** Calls the listener with every change, before the extension hears of it, or after. */
  watch(listener: (change: PermissionChange) => void, when?: 'before' | 'after'): void;
  /** `spindle.permissions`. */
  readonly api: object;
}

export interface PermissionChange {
  readonly extensionId: string;
  readonly permission: string;
  readonly granted: boolean;
  readonly allGranted: readonly string[];
}

export function makePermissions(world: DialectWorld): HeldPermissions {
  /** What was held when the extension was last told of it. */
  let held = namesHeld(world.grant.powers ?? []);
  const isHeld = (name: string): boolean => namesHeld(world.grant.powers ?? []).has(name);
  const denied = makeCallbacks();
  const changed = makeCallbacks();
  const watchers: Record<'before' | 'after', ((change: PermissionChange) => void)[]> = {
    before: [],
    after: [],
  };

  const tell = (permission: string, granted: boolean): void => {
    const change = (): PermissionChange => ({
      extensionId: world.powers.plugin.id,
      permission,
      granted,
      allGranted: [...held],
    });
    for (const watcher of watchers.before) watcher(change());
    for (const callback of changed.list()) callUnawaited(world, callback, [change()]);
    for (const watcher of watchers.after) watcher(change());
  };

  return {
    has: isHeld,
    deny: (permission, operation) => {
      world.log('warn', [`${operation} was not done: the permission ${permission} is not granted`]);
      // Later, as a message would come: whoever listens may say so further down.
      world.powers.clock.setTimeout(() => {
        for (const callback of denied.list()) {
          callUnawaited(world, callback, [{ permission, operation }]);
        }
      }, 0);
    },
    replace: (names) => {
      const before = held;
      held = namesHeld(names);
      for (const name of before) if (!held.has(name)) tell(name, false);
      for (const name of held) if (!before.has(name)) tell(name, true);
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

/** Without the name that stands for what every extension may ask of its host. */
function namesHeld(names: readonly string[]): Set<string> {
  return new Set(names.filter((name) => name !== 'spindle'));
}

/** The error of a request that needs a permission which is not held, in the words of the original. */
export function permissionDenied(permission: string): Error {
  const words = permission.replaceAll('_', ' ');
  const named = `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
  return new Error(`PERMISSION_DENIED: ${permission} — ${named} permission not granted`);
}
