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
  const { length } = list;
  const now: string[] = [];
  const stretch = (from: number, to: number): string => {
    let text = '';
    for (let at = from; at < to; at += 1) {
      now[at] ??= textOf(list[at]) ?? UNREADABLE;
      text += at === from ? now[at] : `,${now[at]}`;
    }
    return text;
  };

  let first = 0;
  let start = 0;
  for (; first < texts.length; first += 1) {
    const { text, items } = texts[first] ?? NONE;
    if (start + items > length || stretch(start, start + items) !== text) break;
    start += items;
  }
  if (first === texts.length && start === length) return undefined;
  let last = texts.length;
  let end = length;
  for (; last > first; last -= 1) {
    const { text, items } = texts[last - 1] ?? NONE;
    if (end - items < start || stretch(end - items, end) !== text) break;
    end -= items;
  }

  stretch(start, end);
  const was = texts.slice(first, last).flatMap(({ text }) => itemTexts(text));
  let head = 0;
  while (head < was.length && start + head < end && was[head] === now[start + head]) head += 1;
  let tail = 0;
  while (
    tail < was.length - head &&
    tail < end - start - head &&
    was[was.length - 1 - tail] === now[end - 1 - tail]
  ) {
    tail += 1;
  }
  const added: unknown[] = [];
  for (let at = start + head; at < end - tail; at += 1) added.push(list[at]);
  return { at: start + head, removed: was.length - head - tail, added };
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
