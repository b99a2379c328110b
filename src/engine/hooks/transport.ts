import type { Guest } from '../../guests/guest.js';
import { type HookSemantics, SEMANTICS } from '../../plugin/hooks.js';
import type { HookContext } from './context.js';
import type { ContextShape } from './contexts.js';
import { type FieldText, makePieceStore, type Piece, type PieceStore } from './pieces.js';

/** Limits for the context data that guests receive. */
export const HOOK_LIMITS: {
  readonly maxKeptHookBytes: number;
  readonly maxHookContextDepth: number;
} = {
  /** Bytes of context text that one guest caches, so the engine need not send it again. */
  maxKeptHookBytes: 16 * 1024 * 1024,
  /** Levels of arrays and objects in one field of a context. */
  maxHookContextDepth: 100,
};

/** Tracks the pieces that each guest has cached, and sends only the missing ones. */
export interface HookTransport {
  /** Builds the JSON params of the request that runs a hook on a context. */
  pack(guest: Guest, message: ContextMessage, run: number, maxBytes: number): string;
}

/** Serializes contexts once, and sends each piece to each guest once. */
export interface HookTexts {
  readonly store: PieceStore;
  readonly transport: HookTransport;
}

export function makeHookTexts(): HookTexts {
  return { store: makePieceStore(HOOK_LIMITS.maxHookContextDepth), transport: makeHookTransport() };
}

export function makeHookTransport(): HookTransport {
  /** By guest: bytes of each cached piece by id, least recently used first. */
  const cachedIn = new WeakMap<Guest, Map<number, number>>();
  return {
    pack: (guest, message, run, maxBytes) => {
      const has = cachedIn.get(guest) ?? new Map<number, number>();
      cachedIn.set(guest, has);
      const pieces: string[] = [];
      for (const piece of message.pieces) {
        // Deleted and added again, so the most recently used piece is last.
        if (!has.delete(piece.id)) pieces.push(formatPiece(piece));
        has.set(piece.id, piece.bytes);
      }
      const forget = shrink(has, new Set(message.pieces.map(({ id }) => id)));
      return `{${message.text},"run":${run},"pieces":[${pieces.join(',')}],"forget":[${forget.join(',')}],"maxBytes":${maxBytes}}`;
    },
  };
}

/** Evicts the least recently used pieces until the cap is met. Pieces in use are not evicted. */
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

/** A context as it is sent to guests. Built once for each context and semantics. */
export interface ContextMessage {
  /** The members of the message object that are the same for all guests, as JSON text. */
  readonly text: string;
  /** The pieces of the fields that are sent by reference. */
  readonly pieces: readonly Piece[];
}

/** A field of at most this many bytes is sent inline. */
const MAX_INLINE_BYTES = 2_048;

export function makeMessage(
  { hook, texts }: HookContext,
  shape: ContextShape,
  semantics: HookSemantics,
): ContextMessage {
  const { returned, nothing } = SEMANTICS[semantics];
  const inline: string[] = [];
  const large: string[] = [];
  const lists: FieldText[] = [];
  for (const [name, { none, missing }] of Object.entries(shape.fields)) {
    const key = JSON.stringify(name);
    const field = texts.get(name);
    if (field === undefined) {
      if (missing !== undefined && 'value' in missing)
        inline.push(`${key}:${JSON.stringify(missing.value)}`);
      else if (none === 'null') inline.push(`${key}:null`);
      continue;
    }
    const { list, pieces } = field;
    if (pieces.length <= 1 && (pieces[0]?.bytes ?? 0) <= MAX_INLINE_BYTES) {
      const text = pieces[0]?.text ?? '';
      inline.push(`${key}:${list ? `[${text}]` : text}`);
    } else {
      if (!lists.includes(field)) lists.push(field);
      large.push(`${key}:${lists.indexOf(field)}`);
    }
  }
  const mutable = Object.entries(shape.fields).flatMap(([name, field]) =>
    field.mutable ? [{ name, none: field.none ?? null }] : [],
  );
  const rest = JSON.stringify({ hook, returned, nothing, mutable, lends: shape.lends });
  return {
    text: `${rest.slice(1, -1)},"fields":{${inline.join(',')}},"large":{${large.join(',')}},"lists":[${lists.map(formatField).join(',')}]`,
    pieces: lists.flatMap(({ pieces }) => pieces),
  };
}

function formatField({ list, pieces }: FieldText): string {
  return `{"list":${list},"pieces":[${pieces.map(({ id }) => id).join(',')}]}`;
}

/** Serializes a piece for the guest, as a `SentPiece`. */
export function formatPiece({ id, quoted, items, nodes }: Piece): string {
  return `[${id},${quoted},${items},${nodes}]`;
}
