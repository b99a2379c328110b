import type { Guest } from '../../guests/guest.js';
import { type ContextMessage, tellPiece } from '../../hooks/message.js';
import { makePieceStore, type PieceStore } from '../../hooks/pieces.js';

/** What holds for what guests are told of contexts. */
export const HOOK_LIMITS: {
  readonly maxKeptHookBytes: number;
  readonly maxHookContextDepth: number;
} = {
  /** Of one guest: the texts of contexts that it keeps, so that it need not be sent them again. */
  maxKeptHookBytes: 16 * 1024 * 1024,
  /** Levels of arrays and objects in one field of a context. */
  maxHookContextDepth: 100,
};

/** Knows what each guest has been told of contexts, and sends it the rest. */
export interface HookCourier {
  /** The params of the request that runs a hook on a context. */
  pack(guest: Guest, message: ContextMessage, run: number, maxBytes: number): string;
}

/** The texts of contexts: made once, and told to each guest once. */
export interface HookTexts {
  readonly store: PieceStore;
  readonly courier: HookCourier;
}

export function makeHookTexts(): HookTexts {
  return { store: makePieceStore(HOOK_LIMITS.maxHookContextDepth), courier: makeHookCourier() };
}

export function makeHookCourier(): HookCourier {
  /** By guest: the pieces that it has, the one that was used longest ago first, with their bytes. */
  const kept = new WeakMap<Guest, Map<number, number>>();
  return {
    pack: (guest, message, run, maxBytes) => {
      const has = kept.get(guest) ?? new Map<number, number>();
      kept.set(guest, has);
      const pieces: string[] = [];
      for (const piece of message.pieces) {
        // Taken out and put in again, so that what was used last is last.
        if (!has.delete(piece.id)) pieces.push(tellPiece(piece));
        has.set(piece.id, piece.bytes);
      }
      const forget = shrink(has, new Set(message.pieces.map(({ id }) => id)));
      return `{${message.text},"run":${run},"pieces":[${pieces.join(',')}],"forget":[${forget.join(',')}],"maxBytes":${maxBytes}}`;
    },
  };
}

/** Drops what was used longest ago until the rest is within the cap; what is in use now is kept. */
function shrink(has: Map<number, number>, inUse: ReadonlySet<number>): number[] {
  let bytes = 0;
  for (const size of has.values()) bytes += size;
  const dropped: number[] = [];
  for (const [id, size] of has) {
    if (bytes <= HOOK_LIMITS.maxKeptHookBytes || inUse.has(id)) break;
    has.delete(id);
    dropped.push(id);
    bytes -= size;
  }
  return dropped;
}
