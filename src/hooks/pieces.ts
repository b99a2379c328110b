import type { Json } from '../../sandbox/wire/messages.js';
import { weigh } from '../../sandbox/wire/weigh.js';
import { isJsonList } from './json.js';

/**
 * A stretch of JSON text, made once and sent to each guest at most once. A piece of a list holds so
 * many of its items, joined by commas; any other value is one piece.
 */
export interface Piece {
  readonly id: number;
  readonly text: string;
  readonly items: number;
  readonly bytes: number;
  /** Values in it. */
  readonly nodes: number;
  /** Itself as a JSON string: how it travels. */
  readonly quoted: string;
}

/** The text of one field of a context. */
export interface FieldText {
  readonly list: boolean;
  readonly pieces: readonly Piece[];
}

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

/** Characters of all pieces that are remembered, so that the same text gets the same id again. */
const MAX_REMEMBERED = 32 * 1024 * 1024;

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
    remembered += text.length;
    for (const [oldest] of known) {
      if (remembered <= MAX_REMEMBERED || oldest === text) break;
      known.delete(oldest);
      remembered -= oldest.length;
    }
    return piece;
  };

  const cut = (items: readonly Json[]): Piece[] => {
    const pieces: Piece[] = [];
    let texts: string[] = [];
    let characters = 0;
    const complete = (): void => {
      if (texts.length > 0) pieces.push(pieceOf(texts.join(','), texts.length));
      texts = [];
      characters = 0;
    };
    for (const item of items) {
      const text = JSON.stringify(item);
      texts.push(text);
      characters += text.length;
      if (characters >= PIECE_CHARACTERS) complete();
    }
    complete();
    return pieces;
  };

  return {
    of: (value) =>
      isJsonList(value)
        ? { list: true, pieces: cut(value) }
        : { list: false, pieces: [pieceOf(JSON.stringify(value), 1)] },
    spliced: ({ pieces }, list, { at, removed }) => {
      const head = piecesBefore(pieces, at);
      const tail = piecesFrom(pieces, at + removed);
      // Between them is what was added, and what shared a piece with what was removed.
      const middle = list.slice(itemsIn(head), list.length - itemsIn(tail));
      return { list: true, pieces: [...head, ...cut(middle), ...tail] };
    },
  };
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
