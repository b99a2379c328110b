import type { Json } from '../../wire/messages.js';
import type { DialectWorld } from '../dialect.js';
import { type Callback, demandCallback } from './callbacks.js';
import type { HostCalls } from './host-calls.js';
import type { Mutations } from './permissions.js';
import { readField, strict } from './strict.js';
import { SPINDLE_LIMITS } from './limits.js';

/** An extension's endpoints, which others read as `<its id>.<channel>` (Spindle shared RPC). */
export interface RpcPool {
  /** `spindle.rpcPool`. */
  readonly api: object;
  /** Answers another extension: the last synced value, or the handler's answer. */
  answer(request: RpcRequest): Promise<unknown>;
  /** All endpoints with their policies, as JSON text. */
  describe(): string;
}

export interface RpcRequest {
  readonly endpoint: string;
  /** The extension that reads, and its permissions. The host sets both. */
  readonly requesterExtensionId: string;
  readonly effectivePermissions: readonly string[];
}

interface Endpoint {
  readonly value?: Json;
  readonly handler?: Callback;
  /** Permissions that the reader needs. Absent: those of the owner. */
  readonly requires: readonly string[] | undefined;
}

/** `onChange` is called after each change of the endpoints. */
export function makeRpcPool(
  world: DialectWorld,
  calls: HostCalls,
  mutations: Mutations,
  onChange: () => void,
): RpcPool {
  const owner = world.powers.plugin.id;
  const endpoints = new Map<string, Endpoint>();
  const put = (written: unknown, endpoint: Endpoint): string => {
    const name = ownEndpoint(owner, written);
    if (endpoints.size >= SPINDLE_LIMITS.maxEndpoints && !endpoints.has(name)) {
      throw new Error(
        `An extension has at most ${SPINDLE_LIMITS.maxEndpoints} shared RPC endpoints`,
      );
    }
    const isNew = !endpoints.has(name);
    endpoints.set(name, endpoint);
    if (isNew || endpoint.requires !== undefined) onChange();
    return name;
  };
  const answer: RpcPool['answer'] = async (request) => {
    const { endpoint: name, effectivePermissions } = request;
    const endpoint = endpoints.get(name);
    if (endpoint === undefined) throw new Error(`Shared RPC endpoint "${name}" is not registered`);
    const missing = endpoint.requires?.find((needed) => !effectivePermissions.includes(needed));
    if (missing !== undefined) {
      throw new Error(
        `PERMISSION_DENIED: ${missing} — Shared RPC endpoint "${name}" requires it of the caller`,
      );
    }
    if (endpoint.handler === undefined) return endpoint.value ?? null;
    return Reflect.apply(endpoint.handler, undefined, [{ ...request }]);
  };

  return {
    answer,
    describe: () =>
      JSON.stringify([...endpoints].map(([endpoint, { requires }]) => ({ endpoint, requires }))),
    api: strict('spindle.rpcPool', {
      sync: (name: unknown, value: unknown, policy?: unknown): string => {
        mutations.allow('spindle.rpcPool.sync');
        const copy: Json = JSON.parse(
          world.serialize(value, { subject: 'The value of spindle.rpcPool.sync' }),
        );
        return put(name, { value: copy, requires: requiredBy(policy) });
      },
      handle: (name: unknown, handler: unknown, policy?: unknown): string => {
        mutations.allow('spindle.rpcPool.handle');
        const callback = demandCallback(handler, 'spindle.rpcPool.handle');
        return put(name, { handler: callback, requires: requiredBy(policy) });
      },
      read: async (name: unknown): Promise<unknown> => {
        const endpoint = demandEndpoint(name);
        if (!endpoints.has(endpoint)) {
          return calls.request({ name: 'spindle.rpcPool.read' }, [endpoint]);
        }
        return answer({
          endpoint,
          requesterExtensionId: owner,
          effectivePermissions: world.powers.grant.powers ?? [],
        });
      },
      unregister: (name: unknown): void => {
        mutations.allow('spindle.rpcPool.unregister');
        if (endpoints.delete(ownEndpoint(owner, name))) onChange();
      },
    }),
  };
}

const OWNER = /^[a-z][a-z0-9_]*$/;
const CHANNEL = /^[a-z0-9][a-z0-9_-]*$/;
const MAX_LENGTH = 256;

function isEndpoint(text: string): boolean {
  const [owner = '', ...channels] = text.split('.');
  return (
    text.length <= MAX_LENGTH &&
    OWNER.test(owner) &&
    channels.length > 0 &&
    channels.every((channel) => CHANNEL.test(channel))
  );
}

function demandEndpoint(written: unknown): string {
  const endpoint = typeof written === 'string' ? written.trim() : '';
  if (isEndpoint(endpoint)) return endpoint;
  throw new Error(
    `Invalid shared RPC endpoint "${endpoint.slice(0, MAX_LENGTH)}". Expected "<extension_id>.<channel>" using lowercase letters, numbers, "_", and "-".`,
  );
}

/** An endpoint's name, with the extension's own id as its prefix. */
function ownEndpoint(owner: string, written: unknown): string {
  const endpoint = typeof written === 'string' ? written.trim() : '';
  if (endpoint === '') throw new Error('Shared RPC endpoint cannot be empty');
  return demandEndpoint(endpoint.startsWith(`${owner}.`) ? endpoint : `${owner}.${endpoint}`);
}

/** `undefined` if the policy does not say. An empty list requires nothing. */
function requiredBy(policy: unknown): readonly string[] | undefined {
  const requires: unknown = readField(policy, 'requires');
  if (!Array.isArray(requires)) return undefined;
  const names = requires.filter((name): name is string => typeof name === 'string');
  return [...new Set(names.map((name) => name.trim()).filter(Boolean))].toSorted();
}
