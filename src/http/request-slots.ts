import { HttpRefusal } from './refusal.js';

/**
 * The limit of concurrent requests. Requests above it are refused, not queued.
 *
 * ```
 *   one caller alone    ████████████████████████████████ max        ░░░░░░░░ spare
 *   and then a second   ████████████████████████████████            ▒▒▒▒▒▒░░
 * ```
 */
export interface RequestSlots {
  /**
   * Takes a slot and returns how to release it, or `undefined` if no slot is free. Callers without a
   * name count as one caller. A caller that is alone gets all `max` slots. The others find a quarter of `max` more. If there are several, a
   * caller gets no slot while it has `SHARE` times as many as are free.
   */
  acquire(caller?: string): (() => void) | undefined;
  /** Refuses new requests. Resolves when the last slot is released. */
  drain(): Promise<void>;
  readonly draining: boolean;
}

/** Of several callers, one gets at most this many times the slots that are free. */
const SHARE = 3;

/** The part of `max` that is added for callers that find all slots taken by another. */
const SPARE = 1 / 4;

export function makeRequestSlots(max: number): RequestSlots {
  const total = max + Math.ceil(max * SPARE);
  let used = 0;
  const usedBy = new Map<string, number>();
  let draining = false;
  let onEmpty: (() => void) | undefined;

  const release = (caller: string): void => {
    used -= 1;
    const left = (usedBy.get(caller) ?? 0) - 1;
    if (left > 0) usedBy.set(caller, left);
    else usedBy.delete(caller);
    if (used === 0) onEmpty?.();
  };
  return {
    acquire: (caller = '') => {
      const own = usedBy.get(caller) ?? 0;
      const isAlone = own === used;
      if (draining || used >= (isAlone ? max : total)) return undefined;
      // guard: account-share-cap
      if (!isAlone && own >= SHARE * (total - used)) return undefined;
      used += 1;
      usedBy.set(caller, own + 1);
      let released = false;
      return () => {
        if (released) return;
        released = true;
        release(caller);
      };
    },
    drain: () => {
      draining = true;
      if (used === 0) return Promise.resolve();
      return new Promise((resolve) => {
        onEmpty = resolve;
      });
    },
    get draining() {
      return draining;
    },
  };
}

/** Why there is no slot. */
export function refusalOfSlots({ draining }: Pick<RequestSlots, 'draining'>): HttpRefusal {
  return draining
    ? new HttpRefusal(503, 'This server is stopping', {
        headers: { connection: 'close', 'retry-after': '1' },
      })
    : new HttpRefusal(429, 'Too many concurrent requests', { headers: { 'retry-after': '1' } });
}
