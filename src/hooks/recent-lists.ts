import { isSamePlain } from '../../sandbox/wire/plain.js';
import type { FieldText } from './piece.js';

/** A list that was written before, and what another has instead of a stretch of it. */
export interface Likeness {
  readonly text: FieldText;
  readonly at: number;
  readonly removed: number;
  readonly added: number;
}

/**
 * The lists that were written last. A conversation is told again for every hook, and is mostly what it
 * was: to compare it takes a tenth of the time that writing it does.
 */
export interface RecentLists {
  /** The list that begins and ends as this one does for the longest; `undefined` where none does. */
  find(list: readonly unknown[]): Likeness | undefined;
  /** What was used last is forgotten last. */
  keep(text: FieldText): void;
}

/** A host runs few conversations at the same time. */
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
    keep: (text) => {
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

/** Whether a list is another one with something more at its end. */
function continues({ items }: FieldText, { items: before }: FieldText): boolean {
  return items.length > before.length && before.every((item, at) => item === items[at]);
}
