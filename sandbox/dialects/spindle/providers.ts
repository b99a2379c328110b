import type { DialectWorld } from '../dialect.js';
import { type Callback, demandCallback } from './callbacks.js';
import type { Listeners } from './listeners.js';
import type { Mutations } from './mutations.js';
import type { HeldPermissions } from './permissions.js';
import { readField } from './read-field.js';
import { strict } from './strict.js';
import { SPINDLE_LIMITS } from './limits.js';

/** What an extension does for its host in the place of a service: embeddings, speech, side models. */
export interface Providers {
  /** The members of `spindle`. */
  readonly api: Readonly<Record<string, unknown>>;
  invoke(kind: string, id: string, request: unknown, signal: unknown): Promise<unknown>;
  /** `[{ "kind", "id", "description" }]`, as JSON text. */
  describe(): string;
}

/** Members that register a provider of one kind, and the method of it that does the work. */
const REGISTRARS = {
  registerEmbeddingDriver: { kind: 'embedding', method: 'embed' },
  registerTtsEngine: { kind: 'tts', method: 'synthesize' },
  registerSttEngine: { kind: 'stt', method: 'transcribe' },
  registerSidecarEndpoint: { kind: 'sidecar', method: 'handle' },
} as const;

/** `onChange` is called whenever there are other providers than before. */
export function makeProviders(
  world: DialectWorld,
  permissions: HeldPermissions,
  mutations: Mutations,
  listeners: Listeners,
  onChange: () => void,
): Providers {
  const described = new Map<string, string>();
  const handlers = new Map<string, Callback>();

  const register = (at: string, kind: string, provider: unknown): string | undefined => {
    mutations.allow(at);
    const id: unknown = readField(provider, 'id');
    if (typeof id !== 'string' || id === '')
      throw new TypeError(`${at} takes a provider with an id`);
    const permission = `providers.${kind}.register`;
    if (!permissions.has(permission)) {
      permissions.deny(permission, at);
      return undefined;
    }
    const key = keyOf(kind, id);
    if (described.size >= SPINDLE_LIMITS.maxProviders && !described.has(key)) {
      throw new Error(`An extension has at most ${SPINDLE_LIMITS.maxProviders} providers`);
    }
    const description: unknown = readField(provider, 'description') ?? readField(provider, 'name');
    described.set(key, world.serialize({ kind, id, description }));
    onChange();
    return key;
  };
  const remove = (key: string): void => {
    handlers.delete(key);
    if (described.delete(key)) onChange();
  };

  const registrars = Object.entries(REGISTRARS).map(([member, { kind, method }]) => {
    const at = `spindle.${member}`;
    const registrar = (...args: unknown[]): (() => void) => {
      // `(provider)`, or `(id, provider)`.
      const [first, second] = args;
      const provider = typeof first === 'string' ? { ...Object(second), id: first } : first;
      const work = demandCallback(readField(provider, method), `${at}({ ${method} })`);
      const key = register(at, kind, provider);
      if (key === undefined) return () => undefined;
      handlers.set(key, (input) => Reflect.apply(work, provider, [input]));
      return () => remove(key);
    };
    return [member, registrar] as const;
  });

  return {
    invoke: async (kind, id, request, signal) => {
      const handler = handlers.get(keyOf(kind, id));
      if (handler === undefined || !described.has(keyOf(kind, id))) {
        throw new Error(`No provider handler registered for ${kind}/${id}`);
      }
      return handler(isRegistrarKind(kind) ? request : { key: { kind, id }, request, signal });
    },
    describe: () => `[${[...described.values()].join(',')}]`,
    api: {
      ...Object.fromEntries(registrars),
      providers: strict('spindle.providers', {
        register: (input: unknown): void => {
          register('spindle.providers.register', String(readField(input, 'kind')), input);
        },
        unregister: (kind: unknown, id: unknown): void => {
          mutations.allow('spindle.providers.unregister');
          remove(keyOf(String(kind), String(id)));
        },
        handle: (kind: unknown, id: unknown, handler: unknown): (() => void) => {
          const key = keyOf(String(kind), String(id));
          const callback = demandCallback(handler, 'spindle.providers.handle');
          handlers.set(key, callback);
          return () => {
            if (handlers.get(key) === callback) handlers.delete(key);
          };
        },
        onChanged: listeners.adder('provider', 'spindle.providers.onChanged'),
      }),
    },
  };
}

function keyOf(kind: string, id: string): string {
  return `${kind}\u0000${id}`;
}

function isRegistrarKind(kind: string): boolean {
  return Object.values(REGISTRARS).some((registrar) => registrar.kind === kind);
}
