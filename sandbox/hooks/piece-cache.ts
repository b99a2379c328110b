import type { HookParams, SentPiece } from '../wire/hooks.js';
import { copyPlain } from '../wire/plain.js';

/** A part of a field: some items of a list, or one value. */
export interface CachedPiece {
  /** Number of items. */
  readonly items: number;
  /** The items as the host sent them, for comparison. Plugins must not get them. */
  sent(): readonly unknown[];
  /** New copies of the items, which the plugin may change. */
  fresh(): readonly unknown[];
}

/** A list, whose items are in its pieces, or a single value in one piece. */
export interface CachedField {
  readonly list: boolean;
  readonly pieces: readonly CachedPiece[];
}

/**
 * Caches the pieces of large context fields. The host sends each piece once, names the pieces of each
 * field, and names the pieces to evict. Successive chains share most of their messages.
 */
export interface PieceCache {
  /** Stores a message's pieces synchronously, and returns its large fields. */
  take(params: Pick<HookParams, 'pieces' | 'forget' | 'lists'>): readonly CachedField[];
}

export function makePieceCache(): PieceCache {
  const cached = new Map<number, CachedPiece>();
  return {
    take: ({ pieces, forget, lists }) => {
      for (const piece of pieces) cached.set(piece[0], cachePiece(piece));
      const fields = lists.map((field) => ({
        list: field.list,
        pieces: field.pieces.map((id) => cached.get(id) ?? NONE),
      }));
      for (const id of forget) cached.delete(id);
      return fields;
    },
  };
}

/**
 * Characters per JSON value. A piece with at least this ratio is cached in parsed form. That takes
 * about twice the memory of its text, and copying takes a tenth of the time of parsing.
 */
const ROOMY = 32;

function cachePiece([, text, items, values]: SentPiece): CachedPiece {
  return { items, ...(text.length < values * ROOMY ? cacheText(text) : cacheItems(text)) };
}

function cacheText(text: string): Omit<CachedPiece, 'items'> {
  const parse = (): readonly unknown[] => parseItems(text);
  return { sent: parse, fresh: parse };
}

function cacheItems(text: string): Omit<CachedPiece, 'items'> {
  let unparsed = text;
  let parsed: readonly unknown[] | undefined;
  const sent = (): readonly unknown[] => {
    parsed ??= parseItems(unparsed);
    unparsed = '';
    return parsed;
  };
  return { sent, fresh: () => sent().map(copyPlain) };
}

function parseItems(text: string): readonly unknown[] {
  const items: unknown = JSON.parse(`[${text}]`);
  return Array.isArray(items) ? items : [];
}

/** Replaces a piece that the host has not sent. */
const NONE: CachedPiece = { items: 0, sent: () => [], fresh: () => [] };
