import type { Json } from '../../sandbox/wire/messages.js';
import { copyPlain } from '../../sandbox/wire/plain.js';
import { weigh } from '../../sandbox/wire/weigh.js';
import { isJsonList } from './json.js';
import type { FieldText, Piece } from './piece.js';
import { makeRecentLists } from './recent-lists.js';

export interface PieceStore {
  of(value: Json): FieldText;
  /** The text of `list`, made out of the list of `before` by taking `removed` items out at `at`. */
  spliced(
    before: FieldText,
    list: readonly Json[],
    at: { readonly at: number; readonly removed: number },
  ): FieldText;
}

/** Characters from which on a piece of a list is complete. */
const PIECE_CHARACTERS = 16 * 1024;

/** Items that are written at once: one by one takes half as long again. */
const GROUP_ITEMS = 8;
/** Larger ones are written one by one, so that a change of one sends no more than that one. */
const MAX_GROUP_CHARACTERS = PIECE_CHARACTERS;

/** Pieces by which a list may be more than it would be cut to: those of what was appended to it. */
const MAX_LOOSE = 64;

/** Characters of all pieces that are remembered, so that the same text gets the same id again. */
const MAX_REMEMBERED = 32 * 1024 * 1024;

/** What a piece counts for besides its text: of ids alone there would else be a million. */
const PIECE_OVERHEAD = 256;

/** `maxDepth`: throws `WireViolation` for a value that is nested deeper. */
export function makePieceStore(maxDepth: number): PieceStore {
  const known = new Map<string, Piece>();
  let remembered = 0;
  let lastId = 0;

  const pieceOf = (text: string, items: number): Piece => {
    const before = known.get(text);
    if (before !== undefined) {
      // What was used last is forgotten last.
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

  const keep = (pieces: readonly Piece[], items: readonly unknown[]): FieldText => {
    const text = { list: true, pieces, items };
    if (charactersIn(pieces) >= PIECE_CHARACTERS) recent.keep(text);
    return text;
  };

  const spliced: PieceStore['spliced'] = ({ pieces, items }, list, { at, removed }) => {
    const head = piecesBefore(pieces, at);
    const tail = piecesFrom(pieces, at + removed);
    // Between them is what was added, and what shared a piece with what was removed.
    const middle = list.slice(itemsIn(head), list.length - itemsIn(tail));
    const patched = [...head, ...cut(middle), ...tail];
    const added = list.slice(at, at + list.length - items.length + removed);
    return keep(isLoose(patched) ? cut(list) : patched, [
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
      if (like === undefined) return keep(cut(value), value.map(copyPlain));
      if (like.removed + like.added > 0) return spliced(like.text, value, like);
      recent.keep(like.text);
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

/** The pieces that lie before item `at` as a whole. */
function piecesBefore(pieces: readonly Piece[], at: number): readonly Piece[] {
  let items = 0;
  const end = pieces.findIndex((piece) => (items += piece.items) > at);
  return end < 0 ? pieces : pieces.slice(0, end);
}

/** The pieces that begin at item `at` or later. */
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
