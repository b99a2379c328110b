import type { Piece } from './piece.js';

interface WrittenList {
  /** All of it, as JSON. */
  readonly text: string;
  readonly items: number;
  readonly pieces: readonly Piece[];
}

/**
 * The lists that were written last. A conversation is written again for every hook, and is mostly
 * what it was, with something more at its end.
 */
export interface RecentLists {
  /** The pieces of a list whose text is this, where all but its end is known already. */
  find(text: string, items: number): readonly Piece[] | undefined;
  keep(list: WrittenList): void;
}

/** A host runs few conversations at the same time. */
const MAX_LISTS = 4;
/** Pieces that were appended one by one until the list is cut anew. */
const MAX_LOOSE = 64;

export function makeRecentLists(pieceOf: (text: string, items: number) => Piece): RecentLists {
  let lists: readonly WrittenList[] = [];
  return {
    find: (text, items) => {
      for (const list of lists) {
        if (text === list.text) return list.pieces;
        if (list.items === 0 || !continues(text, list.text)) continue;
        if (list.pieces.length > MAX_LOOSE + list.text.length / LEAST_CHARACTERS) return undefined;
        const added = text.slice(list.text.length, -1);
        return [...list.pieces, pieceOf(added, items - list.items)];
      }
      return undefined;
    },
    keep: (list) => {
      if (lists.some(({ pieces }) => pieces === list.pieces)) return;
      lists = [list, ...lists.filter(({ text }) => !continues(list.text, text))].slice(
        0,
        MAX_LISTS,
      );
    },
  };
}

/** What pieces are cut to at least, when a list is cut. */
const LEAST_CHARACTERS = 64 * 1024;

/** Whether a list is another one, with something more at its end. */
function continues(text: string, before: string): boolean {
  return (
    text.length > before.length &&
    text[before.length - 1] === ',' &&
    text.startsWith(before.slice(0, -1))
  );
}
