import type { DialectWorld } from '../dialect.js';
import { type Callback, demandCallback, type Listeners } from './callbacks.js';
import type { HeldPermissions, Mutations } from './permissions.js';
import { readField, strict } from './strict.js';
import { SPINDLE_LIMITS } from './limits.js';

/** Services that an extension provides to its host: embeddings, speech, side models. */
export interface Providers {
  /** The members of `spindle`. */
  readonly api: Readonly<Record<string, unknown>>;
  invoke(kind: string, id: string, request: unknown, signal: unknown): Promise<unknown>;
  /** `[{ "kind", "id", "description" }]`, as JSON text. */
  describe(): string;
}

/** Members that register a provider of one kind, and the provider's method that does the work. */
const REGISTRARS = {
  registerEmbeddingDriver: { kind: 'embedding', method: 'embed' },
  registerTtsEngine: { kind: 'tts', method: 'synthesize' },
  registerSttEngine: { kind: 'stt', method: 'transcribe' },
  registerSidecarEndpoint: { kind: 'sidecar', method: 'handle' },
} as const;

/** `onChange` is called after each change of the providers. */
export function makeProviders(
  world: DialectWorld,
  permissions: HeldPermissions,
  mutations: Mutations,
  listeners: Listeners,
  onChange: () => void,
): Providers {
  const described = new Map<string, { readonly permission: string; readonly text: string }>();
  const handlers = new Map<string, Callback>();

  // A provider without its permission waits until the permission is granted.
  permissions.watch(({ permission }) => {
    if ([...described.values()].some((one) => one.permission === permission)) onChange();
  });

  const register = (at: string, kind: string, provider: unknown): string => {
    mutations.allow(at);
    const id: unknown = readField(provider, 'id');
    if (typeof id !== 'string' || id === '')
      throw new TypeError(`${at} takes a provider with an id`);
    const permission = `providers.${kind}.register`;
    if (!permissions.has(permission)) permissions.deny(permission, at);
    const key = keyOf(kind, id);
    if (described.size >= SPINDLE_LIMITS.maxProviders && !described.has(key)) {
      throw new Error(`An extension has at most ${SPINDLE_LIMITS.maxProviders} providers`);
    }
    const description: unknown = readField(provider, 'description') ?? readField(provider, 'name');
    described.set(key, { permission, text: world.serialize({ kind, id, description }) });
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
      handlers.set(key, (input) => Reflect.apply(work, provider, [input]));
      return () => remove(key);
    };
    return [member, registrar] as const;
  });

  return {
    invoke: async (kind, id, request, signal) => {
      const handler = handlers.get(keyOf(kind, id));
      const permission = described.get(keyOf(kind, id))?.permission;
      if (handler === undefined || permission === undefined || !permissions.has(permission)) {
        throw new Error(`No provider handler registered for ${kind}/${id}`);
      }
      return handler(isRegistrarKind(kind) ? request : { key: { kind, id }, request, signal });
    },
    describe: () =>
      `[${[...described.values()]
        .flatMap(({ permission, text }) => (permissions.has(permission) ? [text] : []))
        .join(',')}]`,
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
        onChanged: listeners.adder('providersChanged', 'spindle.providers.onChanged'),
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
