import { createHash } from 'node:crypto';
import type { KV } from '@nats-io/kv';
import { BulkheadError, messageOf } from '../errors.js';
import type { Pin } from '../lock/lock.js';
import { array, boolean, object, readShape, type Shape, string } from '../schema/shape.js';
import type { Cell } from './connection.js';
import type { Epoch } from './epoch.js';
import { parse } from './frame.js';

/** What the operator revoked and disabled in a cell. It outlives the gateways, and all of them share it. */
export interface Revocations {
  /** What counts now, for the statement of the gateway. */
  current(): Pick<Epoch, 'revoked' | 'disabled'>;
  /** Counts at once in this process. `save` makes it last. */
  revoke(plugin: string, permissions: readonly string[]): void;
  setDisabled(plugin: string, disabled: boolean): void;
  /** Stores what counts for a plugin, for all gateways. Rejects with `FLEET_FAILED` if NATS does not store it. */
  save(plugin: string): Promise<void>;
  close(): void;
}

export interface RevocationsSpec {
  readonly cell: Cell;
  /** The plugin's pin in the lock file. */
  readonly pinOf: (plugin: string) => Pick<Pin, 'artifact' | 'granted'> | undefined;
  /** Another gateway revoked or disabled something, or this one did so before it started again. */
  readonly apply: (change: RevocationChange) => void;
}

export interface RevocationChange {
  readonly plugin: string;
  readonly permissions: readonly string[];
  /** Absent: as before. */
  readonly disabled?: boolean;
}

/** A plugin's entry in the store. */
interface Entry {
  readonly plugin: string;
  readonly permissions: readonly string[];
  readonly disabled: boolean;
  /** The pin when it was revoked. With another pin, the operator has decided again. */
  readonly pin: string;
}

const entryShape: Shape<Entry> = object({
  plugin: string(),
  permissions: array(string()),
  disabled: boolean,
  pin: string(),
});

/** Attempts at an entry that other gateways change at the same time. */
const MAX_ATTEMPTS = 8;

/** Reads what is revoked, applies it, and follows the changes of other gateways. */
export async function openRevocations({
  cell,
  pinOf,
  apply,
}: RevocationsSpec): Promise<Revocations> {
  const kv = await new cell.nats.kv.Kvm(cell.connection).create(`bh-${cell.cell}-revoked`);
  const entries = new Map<string, Entry>();
  const hashOf = (plugin: string): string => {
    const { artifact = null, granted = null } = pinOf(plugin) ?? {};
    return createHash('sha256')
      .update(JSON.stringify([artifact, granted]))
      .digest('hex');
  };
  const entryOf = (plugin: string): Entry =>
    entries.get(plugin) ?? { plugin, permissions: [], disabled: false, pin: hashOf(plugin) };

  /** Takes what is stored. A revocation for another pin does not count. */
  const take = (stored: Entry): void => {
    const { plugin } = stored;
    const own = entryOf(plugin);
    // guard: fleet-revocation-survives-restart
    const revoked = stored.pin === hashOf(plugin) ? stored.permissions : [];
    const fresh = revoked.filter((permission) => !own.permissions.includes(permission));
    entries.set(plugin, {
      ...own,
      permissions: [...own.permissions, ...fresh],
      disabled: stored.disabled,
    });
    if (fresh.length === 0 && stored.disabled === own.disabled) return;
    apply({
      plugin,
      permissions: fresh,
      ...(stored.disabled === own.disabled ? {} : { disabled: stored.disabled }),
    });
  };
  const watched = await kv.watch();
  await readAll(kv, take);
  void (async () => {
    for await (const { operation, value } of watched) {
      const entry = operation === 'PUT' ? readEntry(value) : undefined;
      if (entry !== undefined) take(entry);
    }
  })();

  const save = async (plugin: string): Promise<void> => {
    const key = Buffer.from(plugin, 'utf8').toString('hex');
    for (let attempt = 1; ; attempt += 1) {
      const before = await kv.get(key);
      const stored = before === null ? undefined : readEntry(before.value);
      const own = entryOf(plugin);
      const others = stored?.pin === own.pin ? stored.permissions : [];
      const permissions = [...new Set([...others, ...own.permissions])];
      const text = JSON.stringify({ ...own, permissions });
      try {
        if (before === null) await kv.create(key, text);
        else await kv.update(key, text, before.revision);
        return;
      } catch (error) {
        // Another gateway was faster.
        if (attempt === MAX_ATTEMPTS || !cell.isConnected()) throw error;
      }
    }
  };

  return {
    current: () => {
      const all = [...entries.values()];
      return {
        revoked: all
          .filter(({ permissions }) => permissions.length > 0)
          .map(({ plugin, permissions }) => ({ plugin, permissions })),
        disabled: all.filter(({ disabled }) => disabled).map(({ plugin }) => plugin),
      };
    },
    revoke: (plugin, permissions) => {
      const own = entryOf(plugin);
      const all = [...new Set([...own.permissions, ...permissions])];
      entries.set(plugin, { ...own, permissions: all });
    },
    setDisabled: (plugin, disabled) => {
      entries.set(plugin, { ...entryOf(plugin), disabled });
    },
    save: (plugin) =>
      save(plugin).catch((cause: unknown) => {
        throw new BulkheadError(
          'FLEET_FAILED',
          `The change of ${plugin} counts now, on this gateway and its runners. NATS did not store it (${messageOf(cause)}), so it would be lost if this gateway restarts. Repeat it when JetStream is available.`,
          { reason: 'transport' },
          { cause },
        );
      }),
    close: () => watched.stop(),
  };
}

async function readAll(kv: KV, take: (entry: Entry) => void): Promise<void> {
  for await (const key of await kv.keys()) {
    const stored = await kv.get(key);
    const entry = stored?.operation === 'PUT' ? readEntry(stored.value) : undefined;
    if (entry !== undefined) take(entry);
  }
}

function readEntry(value: Uint8Array): Entry | undefined {
  const read = readShape(entryShape, parse(Buffer.from(value).toString('utf8')), 'revocation');
  return read.ok ? read.value : undefined;
}
