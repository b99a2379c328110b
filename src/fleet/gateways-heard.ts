import type { PublicKey } from '../keys/signing-key.js';
import { DEAF_AFTER_MS, type Epoch, gatewayId, openEpoch, type Revoked } from './epoch.js';

/** The gateways that a runner trusts, and when it last heard from each. */
export interface GatewaysHeard {
  /** Takes a statement. Ignores one that no pinned key signed, of another cell, or that is not newer. */
  hear(frame: Uint8Array): void;
  /** Whether the gateway was heard less than 3 seconds ago. `gatewayId` names it. */
  isFresh(gateway: string): boolean;
  /** All that the gateways have revoked and disabled, for plugins that have just arrived. */
  all(): Omit<EpochChange, 'isNew'>;
  /** The gateways that are heard now. */
  list(): readonly string[];
  /** The gateway's side of a session; `undefined` if it is not heard. */
  sessionOf(gateway: string): string | undefined;
  /** The sides of all gateways that are heard now. */
  sessions(): readonly string[];
}

export interface GatewaysHeardSpec {
  readonly keys: ReadonlyMap<string, PublicKey>;
  readonly cell: string;
  /** Applies what a gateway has revoked or disabled since its last statement. */
  readonly apply: (change: EpochChange) => void;
  /** Milliseconds of a clock that never runs backwards. */
  readonly now: () => number;
}

export interface EpochChange {
  readonly revoked: readonly Revoked[];
  /** Plugins that some gateway disables now. */
  readonly disabled: ReadonlySet<string>;
  /** Whether the gateway is heard for the first time. */
  readonly isNew: boolean;
}

interface Heard {
  readonly epoch: Epoch;
  readonly atMs: number;
}

export function makeGatewaysHeard({ keys, cell, apply, now }: GatewaysHeardSpec): GatewaysHeard {
  const heard = new Map<string, Heard>();
  /** What was applied. A gateway that starts again may state it again. */
  const applied = new Set<string>();
  const isFresh = (gateway: string): boolean => {
    const last = heard.get(gateway);
    // guard: fleet-deaf-runner-stops
    return last !== undefined && now() - last.atMs < DEAF_AFTER_MS;
  };
  const disabledNow = (): ReadonlySet<string> =>
    new Set([...heard.values()].flatMap(({ epoch }) => epoch.disabled));
  return {
    hear: (frame) => {
      const epoch = openEpoch(keys, frame);
      if (epoch === undefined || epoch.cell !== cell) return;
      const id = gatewayId(epoch);
      const last = heard.get(id);
      // guard: fleet-epoch-never-lower
      if (last !== undefined && epoch.number <= last.epoch.number) return;
      heard.set(id, { epoch, atMs: now() });
      const fresh = epoch.revoked.filter((one) => {
        const text = JSON.stringify([one.plugin, one.permissions]);
        if (applied.has(text)) return false;
        applied.add(text);
        return true;
      });
      apply({ revoked: fresh, disabled: disabledNow(), isNew: last === undefined });
    },
    isFresh,
    all: () => ({
      revoked: [...heard.values()].flatMap(({ epoch }) => epoch.revoked),
      disabled: disabledNow(),
    }),
    sessions: () => [...heard].filter(([id]) => isFresh(id)).map(([, { epoch }]) => epoch.session),
    sessionOf: (gateway) => heard.get(gateway)?.epoch.session,
    list: () => [...heard.keys()].filter(isFresh),
  };
}
