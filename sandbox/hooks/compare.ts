import { isSamePlain } from '../wire/plain.js';
import type { DraftField } from './field.js';
import type { HeldPiece } from './pieces.js';

/** Where the items of a list differ from those that were there: `added` lie at `at` instead. */
export interface ListChange {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly unknown[];
}

/** Whether a value has another JSON than what the field was told as. */
export function hasChanged(field: DraftField, value: unknown): boolean {
  if (field.list) return !Array.isArray(value) || compareList(field, value) !== undefined;
  return !isSame(field.pieces[0]?.told()[0], value);
}

/** The shortest stretch in which a list differs, or `undefined` where it does not. */
export function compareList(
  { pieces }: DraftField,
  list: readonly unknown[],
): ListChange | undefined {
  const { length } = list;
  const items = pieces.reduce((sum, piece) => sum + piece.items, 0);
  const head = sameAtStart(pieces, list, length);
  if (head === items && head === length) return undefined;
  const tail = sameAtEnd(pieces, list, length, Math.min(items, length) - head);
  const added: unknown[] = [];
  for (let at = head; at < length - tail; at += 1) added.push(list[at]);
  return { at: head, removed: items - head - tail, added };
}

function sameAtStart(
  pieces: readonly HeldPiece[],
  list: readonly unknown[],
  length: number,
): number {
  let same = 0;
  for (const piece of pieces) {
    for (const item of piece.told()) {
      if (same === length || !isSame(item, list[same])) return same;
      same += 1;
    }
  }
  return same;
}

/** As many as `most` of them. */
function sameAtEnd(
  pieces: readonly HeldPiece[],
  list: readonly unknown[],
  length: number,
  most: number,
): number {
  let same = 0;
  for (const piece of pieces.toReversed()) {
    for (const item of piece.told().toReversed()) {
      if (same === most || !isSame(item, list[length - 1 - same])) return same;
      same += 1;
    }
  }
  return same;
}

/** Whether a plugin's value has that JSON. What throws where it is read is like nothing there was. */
function isSame(was: unknown, value: unknown): boolean {
  try {
    return isSamePlain(was, value) || JSON.stringify(was) === JSON.stringify(value);
  } catch {
    return false;
  }
}
