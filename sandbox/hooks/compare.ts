import type { DraftField } from './field.js';

/** Where the items of a list differ from those that were there: `added` lie at `at` instead. */
export interface ListChange {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly unknown[];
}

/** Whether a value still has the text that the field was told as. */
export function hasChanged(field: DraftField, value: unknown): boolean {
  if (field.isSame(value)) return false;
  if (field.list && Array.isArray(value)) return compareList(field, value) !== undefined;
  return field.list || textOf(value) !== (field.texts[0]?.text ?? 'null');
}

/**
 * The shortest stretch in which a list differs, or `undefined` where it does not. Whole pieces are
 * compared by their text first; only those that differ are taken apart.
 */
export function compareList(
  { texts }: DraftField,
  list: readonly unknown[],
): ListChange | undefined {
  let first = 0;
  let start = 0;
  for (; first < texts.length; first += 1) {
    const { text, items } = texts[first] ?? NONE;
    if (stretchText(list, start, start + items) !== text) break;
    start += items;
  }
  let end = list.length;
  if (first === texts.length && start === end) return undefined;
  let last = texts.length;
  for (; last > first; last -= 1) {
    const { text, items } = texts[last - 1] ?? NONE;
    if (end - items < start || stretchText(list, end - items, end) !== text) break;
    end -= items;
  }
  return compareItems(texts.slice(first, last), list, start, end);
}

/** Within pieces that differ: the items that do. */
function compareItems(
  texts: DraftField['texts'],
  list: readonly unknown[],
  start: number,
  end: number,
): ListChange {
  const was = texts.flatMap(({ text }) => itemTexts(text));
  const now: (string | undefined)[] = [];
  for (let at = start; at < end; at += 1) now.push(textOf(list[at]) ?? UNREADABLE);
  let head = 0;
  while (head < was.length && head < now.length && was[head] === now[head]) head += 1;
  let tail = 0;
  const rest = Math.min(was.length, now.length) - head;
  while (tail < rest && was[was.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const added: unknown[] = [];
  for (let at = start + head; at < end - tail; at += 1) added.push(list[at]);
  return { at: start + head, removed: was.length - head - tail, added };
}

/** The items of a stretch as they stand in a piece; `undefined` where there are not as many. */
function stretchText(list: readonly unknown[], from: number, to: number): string | undefined {
  return to > list.length ? undefined : textOf(list.slice(from, to))?.slice(1, -1);
}

const NONE = { text: '', items: 0 };

/** No JSON looks like this, so that nothing is equal to what cannot be read. */
const UNREADABLE = '?';

function itemTexts(text: string): readonly (string | undefined)[] {
  const items: unknown = JSON.parse(`[${text}]`);
  return Array.isArray(items) ? items.map((item) => textOf(item)) : [];
}

/** The JSON of a plugin's value. What throws where it is read is like nothing that there was. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
