import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { copyPlain, isSamePlain } from '../../../sandbox/wire/plain.js';
import { weigh } from '../../../sandbox/wire/parse.js';

export interface PieceStore {
  of(value: Json): FieldText;
  /** The text of `list`, which is the list of `before` with `removed` items replaced at `at`. */
  spliced(
    before: FieldText,
    list: readonly Json[],
    at: { readonly at: number; readonly removed: number },
  ): FieldText;
}

/** A piece of a list is complete when it has this many characters. */
const PIECE_CHARACTERS = 16 * 1024;

/** Items serialized together. One at a time takes 1.5 times as long. */
const GROUP_ITEMS = 8;
/** Items of a larger group are serialized one at a time, so a change resends only one item. */
const MAX_GROUP_CHARACTERS = PIECE_CHARACTERS;

/** Small pieces (from appended items) that a list may have before it is cut again. */
const MAX_LOOSE = 64;

/** Cache size in characters. A cached text gets the same piece id again. */
const MAX_REMEMBERED = 32 * 1024 * 1024;

/** Characters added to the size of each cached piece. This bounds the number of tiny pieces. */
const PIECE_OVERHEAD = 256;

/** The store throws `WireViolation` for a value that is nested deeper than `maxDepth` levels. */
export function makePieceStore(maxDepth: number): PieceStore {
  const known = new Map<string, Piece>();
  let remembered = 0;
  let lastId = 0;

  const pieceOf = (text: string, items: number): Piece => {
    const before = known.get(text);
    if (before !== undefined) {
      // Moved to the end, because eviction starts with the least recently used piece.
      known.delete(text);
      known.set(text, before);
      return before;
    }
    lastId += 1;
    let quoted: string | undefined;
    const piece: Piece = {
      id: lastId,
      text,
      items,
      bytes: Buffer.byteLength(text),
      nodes: weigh(items > 1 ? `[${text}]` : text, { maxNodes: Number.MAX_VALUE, maxDepth }),
      get quoted() {
        return (quoted ??= JSON.stringify(text));
      },
    };
    known.set(text, piece);
    remembered += sizeOf(text);
    for (const [oldest] of known) {
      if (remembered <= MAX_REMEMBERED || oldest === text) break;
      known.delete(oldest);
      remembered -= sizeOf(oldest);
    }
    return piece;
  };

  const recent = makeRecentLists();

  const cut = (items: readonly Json[]): Piece[] => {
    const pieces: Piece[] = [];
    let text = '';
    let count = 0;
    const complete = (): void => {
      if (count > 0) pieces.push(pieceOf(text, count));
      text = '';
      count = 0;
    };
    const add = (written: string, more: number): void => {
      text = count === 0 ? written : `${text},${written}`;
      count += more;
      if (text.length >= PIECE_CHARACTERS) complete();
    };
    for (let at = 0; at < items.length; at += GROUP_ITEMS) {
      const group = items.slice(at, at + GROUP_ITEMS);
      const written = JSON.stringify(group).slice(1, -1);
      if (written.length <= MAX_GROUP_CHARACTERS) add(written, group.length);
      else for (const item of group) add(JSON.stringify(item), 1);
    }
    complete();
    return pieces;
  };

  const remember = (pieces: readonly Piece[], items: readonly unknown[]): FieldText => {
    const text = { list: true, pieces, items };
    if (charactersIn(pieces) >= PIECE_CHARACTERS) recent.remember(text);
    return text;
  };

  const spliced: PieceStore['spliced'] = ({ pieces, items }, list, { at, removed }) => {
    const head = piecesBefore(pieces, at);
    const tail = piecesFrom(pieces, at + removed);
    // The added items, and the items that shared a piece with a removed item.
    const middle = list.slice(itemsIn(head), list.length - itemsIn(tail));
    const patched = [...head, ...cut(middle), ...tail];
    const added = list.slice(at, at + list.length - items.length + removed);
    return remember(isLoose(patched) ? cut(list) : patched, [
      ...items.slice(0, at),
      ...added.map(copyPlain),
      ...items.slice(at + removed),
    ]);
  };

  return {
    of: (value) => {
      if (!isJsonList(value)) {
        return { list: false, pieces: [pieceOf(JSON.stringify(value), 1)], items: [] };
      }
      const like = recent.find(value);
      if (like === undefined) return remember(cut(value), value.map(copyPlain));
      if (like.removed + like.added > 0) return spliced(like.text, value, like);
      recent.remember(like.text);
      return like.text;
    },
    spliced,
  };
}

function sizeOf(text: string): number {
  return text.length + PIECE_OVERHEAD;
}

function isLoose(pieces: readonly Piece[]): boolean {
  return pieces.length > MAX_LOOSE + charactersIn(pieces) / PIECE_CHARACTERS;
}

function charactersIn(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + text.length, 0);
}

/** The pieces that end before item `at`. */
function piecesBefore(pieces: readonly Piece[], at: number): readonly Piece[] {
  let items = 0;
  const end = pieces.findIndex((piece) => (items += piece.items) > at);
  return end < 0 ? pieces : pieces.slice(0, end);
}

/** The pieces that start at item `at` or later. */
function piecesFrom(pieces: readonly Piece[], at: number): readonly Piece[] {
  let items = 0;
  const start = pieces.findIndex((piece) => {
    const begins = items >= at;
    items += piece.items;
    return begins;
  });
  return start < 0 ? [] : pieces.slice(start);
}

function itemsIn(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { items }) => sum + items, 0);
}

/**
 * A part of a JSON text. It is serialized once and sent to each guest at most once. A piece of a
 * list contains `items` list items, joined by commas. Any other value is one piece.
 */
export interface Piece {
  readonly id: number;
  readonly text: string;
  readonly items: number;
  readonly bytes: number;
  /** Number of JSON values in it. */
  readonly nodes: number;
  /** The text as a JSON string literal, as it is sent. */
  readonly quoted: string;
}

/** The text of one field of a context. */
export interface FieldText {
  readonly list: boolean;
  readonly pieces: readonly Piece[];
  /** Lists only: private copies of the serialized items. */
  readonly items: readonly unknown[];
}

/** An earlier list, and the range in which a new list differs from it. */
export interface Likeness {
  readonly text: FieldText;
  readonly at: number;
  readonly removed: number;
  readonly added: number;
}

/**
 * The most recently serialized lists. Each hook gets the conversation again, mostly unchanged.
 * Comparing it takes a tenth of the time of serializing it.
 */
export interface RecentLists {
  /** The cached list with the longest common start and end; `undefined` if none is similar. */
  find(list: readonly unknown[]): Likeness | undefined;
  /** Adds a list. The least recently used list is evicted first. */
  remember(text: FieldText): void;
}

/** Cached lists. A host runs few conversations at the same time. */
const MAX_LISTS = 4;

export function makeRecentLists(): RecentLists {
  let lists: readonly FieldText[] = [];
  return {
    find: (list) => {
      let best: Likeness | undefined;
      for (const text of lists) {
        const likeness = compare(text, list);
        if (likeness.removed + likeness.added === 0) return likeness;
        if (likeness.removed === text.items.length) continue;
        if (best === undefined || likeness.added < best.added) best = likeness;
      }
      return best;
    },
    remember: (text) => {
      const others = lists.filter((other) => other !== text && !continues(text, other));
      lists = [text, ...others].slice(0, MAX_LISTS);
    },
  };
}

function compare(text: FieldText, list: readonly unknown[]): Likeness {
  const { items } = text;
  const most = Math.min(items.length, list.length);
  let head = 0;
  while (head < most && isSamePlain(items[head], list[head])) head += 1;
  let tail = 0;
  while (tail < most - head && isSamePlain(items.at(-1 - tail), list.at(-1 - tail))) tail += 1;
  const common = head + tail;
  return { text, at: head, removed: items.length - common, added: list.length - common };
}

/** Whether a list is `before` with items appended. */
function continues({ items }: FieldText, { items: before }: FieldText): boolean {
  return items.length > before.length && before.every((item, at) => item === items[at]);
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
