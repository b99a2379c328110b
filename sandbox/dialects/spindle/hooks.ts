import type { Json } from '../../wire/messages.js';
import type { DialectWorld } from '../dialect.js';
import { type Callback, demandCallback } from './callbacks.js';
import type { HeldPermissions, Mutations } from './permissions.js';
import { readField } from './strict.js';

/**
 * The generation handlers of an extension (Spindle interceptors, context handlers …). At most one
 * handler of each kind; a later registration replaces it. A handler without its permission is not
 * called until the permission is granted. If a handler fails, the host continues with the unchanged
 * payload.
 */
export interface Hooks {
  /** The members of `spindle` that register handlers. */
  readonly api: Readonly<Record<string, (...args: unknown[]) => () => void>>;
  /** Runs the handler of a kind. `undefined` if it is missing. Rejects if it failed (logged). */
  run(kind: HookKind, args: readonly unknown[]): Promise<unknown>;
  /** The registered handlers as JSON text: `{ "interceptor": { "priority": 100 }, … }`. */
  describe(): string;
}

export type HookKind =
  | 'interceptor'
  | 'contextHandler'
  | 'macroInterceptor'
  | 'worldInfoInterceptor'
  | 'contentProcessor';

const KINDS: Readonly<Record<HookKind, { readonly member: string; readonly permission: string }>> =
  {
    interceptor: { member: 'registerInterceptor', permission: 'interceptor' },
    contextHandler: { member: 'registerContextHandler', permission: 'context_handler' },
    macroInterceptor: { member: 'registerMacroInterceptor', permission: 'macro_interceptor' },
    worldInfoInterceptor: { member: 'registerWorldInfoInterceptor', permission: 'generation' },
    contentProcessor: { member: 'registerMessageContentProcessor', permission: 'chat_mutation' },
  };

const kinds = Object.keys(KINDS).filter(isHookKind);

export function isHookKind(text: string): text is HookKind {
  return Object.hasOwn(KINDS, text);
}

interface Registered {
  readonly handler: Callback;
  readonly options: Json;
}

/** `onChange` is called after each change of the handlers. */
export function makeHooks(
  world: DialectWorld,
  permissions: HeldPermissions,
  mutations: Mutations,
  onChange: () => void,
): Hooks {
  const registered = new Map<HookKind, Registered>();

  /** A handler whose permission is revoked waits until it is granted again. */
  const isActive = (kind: HookKind): boolean => permissions.has(KINDS[kind].permission);
  permissions.watch(({ permission }) => {
    if (kinds.some((kind) => KINDS[kind].permission === permission && registered.has(kind))) {
      onChange();
    }
  });

  const register =
    (kind: HookKind) =>
    (...[handler, second, third]: unknown[]): (() => void) => {
      const { member, permission } = KINDS[kind];
      mutations.allow(`spindle.${member}`);
      const entry = {
        handler: demandCallback(handler, `spindle.${member}`),
        options: readOptions(world, second, third),
      };
      if (!permissions.has(permission)) permissions.deny(permission, member);
      registered.set(kind, entry);
      onChange();
      return () => {
        if (registered.get(kind) !== entry) return;
        registered.delete(kind);
        onChange();
      };
    };

  return {
    api: Object.fromEntries(kinds.map((kind) => [KINDS[kind].member, register(kind)])),
    run: async (kind, args) => {
      const entry = registered.get(kind);
      if (entry === undefined || !isActive(kind)) return undefined;
      try {
        return await Reflect.apply(entry.handler, undefined, args);
      } catch (error) {
        world.log('error', [`${KINDS[kind].member}:`, error]);
        throw error;
      }
    },
    describe: () =>
      JSON.stringify(
        Object.fromEntries(
          [...registered].flatMap(([kind, { options }]) =>
            isActive(kind) ? [[kind, options]] : [],
          ),
        ),
      ),
  };
}

/** `(handler, priority, options)` or `(handler, options)`: `{ priority, timeoutMs?, match? }`. */
function readOptions(world: DialectWorld, second: unknown, third: unknown): Json {
  const options: unknown = typeof second === 'object' ? second : third;
  const priority: unknown = typeof second === 'number' ? second : readField(options, 'priority');
  const timeoutMs: unknown = readField(options, 'timeoutMs');
  const match: unknown = readField(options, 'match');
  const plain: Json = JSON.parse(
    world.serialize({
      priority: typeof priority === 'number' && Number.isFinite(priority) ? priority : 100,
      ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
      ...(match === undefined ? {} : { match }),
    }),
  );
  return plain;
}
