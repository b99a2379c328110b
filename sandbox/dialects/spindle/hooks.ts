import type { Json } from '../../wire/messages.js';
import type { DialectWorld } from '../dialect.js';
import { type Callback, demandCallback } from './callbacks.js';
import type { Mutations } from './mutations.js';
import type { HeldPermissions } from './permissions.js';
import { readField } from './read-field.js';

/**
 * What an extension does to generations on their way (Spindle interceptors, context handlers …): at
 * most one handler of each kind; registering again replaces it. What fails changes nothing: the
 * host goes on with what it passed.
 */
export interface Hooks {
  /** The members of `spindle` that register them. */
  readonly api: Readonly<Record<string, (...args: unknown[]) => () => void>>;
  /** Runs the handler of a kind. `undefined`: there is none, or it failed, which is in the log. */
  run(kind: HookKind, args: readonly unknown[]): Promise<unknown>;
  /** What is registered, as JSON text: `{ "interceptor": { "priority": 100 }, … }`. */
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

/** `onChange` is called whenever something else is registered than before. */
export function makeHooks(
  world: DialectWorld,
  permissions: HeldPermissions,
  mutations: Mutations,
  onChange: () => void,
): Hooks {
  const registered = new Map<HookKind, Registered>();

  // A permission that is taken away takes what it had made possible with it.
  permissions.watch(({ permission, granted }) => {
    if (granted) return;
    const gone = kinds.filter((kind) => KINDS[kind].permission === permission);
    if (gone.filter((kind) => registered.delete(kind)).length > 0) onChange();
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
      if (!permissions.has(permission)) {
        permissions.deny(permission, member);
        return () => undefined;
      }
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
      if (entry === undefined) return undefined;
      try {
        return await Reflect.apply(entry.handler, undefined, args);
      } catch (error) {
        world.log('error', [`${KINDS[kind].member}:`, error]);
        return undefined;
      }
    },
    describe: () =>
      JSON.stringify(
        Object.fromEntries([...registered].map(([kind, { options }]) => [kind, options])),
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
