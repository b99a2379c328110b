import type { KV } from '@nats-io/kv';
import type { Cell } from './connection.js';
import { requireName, tenantOf, tenantToken } from './subjects.js';

/** Which runner has the state of a plugin, for each tenant. All gateways of a cell share it. */
export interface Pins {
  /**
   * The runner of a plugin that keeps state. If it has none yet, `candidate` becomes it. Another gateway may
   * choose at the same time: the first choice counts.
   */
  runnerFor(
    tenant: string | undefined,
    plugin: string,
    candidate: string | undefined,
  ): Promise<string | undefined>;
  /** From now on, that runner has the state. The operator has moved the storage. */
  move(tenant: string | undefined, plugin: string, runner: string): Promise<void>;
  list(): Promise<readonly Pin[]>;
}

/** The runner that keeps the state of a plugin. Absent tenant: calls without a tenant. */
export interface Pin {
  readonly plugin: string;
  readonly tenant?: string;
  readonly runner: string;
}

export function openPins({ nats, connection, cell }: Cell): Pins {
  let bucket: Promise<KV> | undefined;
  const open = (): Promise<KV> => {
    bucket ??= new nats.kv.Kvm(connection).create(`bh-${cell}-pins`);
    bucket.catch(() => {
      bucket = undefined;
    });
    return bucket;
  };
  const keyOf = (tenant: string | undefined, plugin: string): string =>
    // A plugin's id may have characters that a key may not have.
    `${tenantToken(tenant)}.${Buffer.from(plugin, 'utf8').toString('hex')}`;
  const read = async (kv: KV, key: string): Promise<string | undefined> => {
    const entry = await kv.get(key);
    return entry === null || entry.operation !== 'PUT' ? undefined : entry.string();
  };
  return {
    runnerFor: async (tenant, plugin, candidate) => {
      const kv = await open();
      const key = keyOf(tenant, plugin);
      const pinned = await read(kv, key);
      if (pinned !== undefined || candidate === undefined) return pinned;
      try {
        await kv.create(key, candidate);
        return candidate;
      } catch (error) {
        const first = await read(kv, key);
        if (first !== undefined) return first;
        throw error;
      }
    },
    move: async (tenant, plugin, runner) => {
      const kv = await open();
      await kv.put(keyOf(tenant, plugin), requireName('runner', runner));
    },
    list: async () => {
      const kv = await open();
      const pins: Pin[] = [];
      const keys: string[] = [];
      for await (const key of await kv.keys()) keys.push(key);
      for (const key of keys.toSorted()) {
        const [token = '', hex = ''] = key.split('.');
        const runner = await read(kv, key);
        const tenant = tenantOf(token);
        if (runner === undefined) continue;
        const plugin = Buffer.from(hex, 'hex').toString('utf8');
        pins.push({ plugin, ...(tenant === undefined ? {} : { tenant }), runner });
      }
      return pins;
    },
  };
}
