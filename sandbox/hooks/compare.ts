import { isSamePlain } from '../wire/plain.js';
import type { DraftField } from './field.js';
import type { CachedPiece } from './piece-cache.js';

/** The changed range of a list: from index `at`, `removed` items were replaced by `added`. */
export interface ListChange {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly unknown[];
}

/** Whether a value's JSON differs from the field that the host sent. */
export function hasChanged(field: DraftField, value: unknown): boolean {
  if (field.list) return !Array.isArray(value) || compareList(field, value) !== undefined;
  return !isSame(field.pieces[0]?.sent()[0], value);
}

/** The shortest range in which a list differs; `undefined` if it does not differ. */
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
  pieces: readonly CachedPiece[],
  list: readonly unknown[],
  length: number,
): number {
  let same = 0;
  for (const piece of pieces) {
    for (const item of piece.sent()) {
      if (same === length || !isSame(item, list[same])) return same;
      same += 1;
    }
  }
  return same;
}

/** Compares at most `most` items. */
function sameAtEnd(
  pieces: readonly CachedPiece[],
  list: readonly unknown[],
  length: number,
  most: number,
): number {
  let same = 0;
  for (const piece of pieces.toReversed()) {
    for (const item of piece.sent().toReversed()) {
      if (same === most || !isSame(item, list[length - 1 - same])) return same;
      same += 1;
    }
  }
  return same;
}

/** Whether a plugin's value has that JSON. A value that throws when it is read is different. */
function isSame(was: unknown, value: unknown): boolean {
  try {
    return isSamePlain(was, value) || JSON.stringify(was) === JSON.stringify(value);
  } catch {
    return false;
  }
}
