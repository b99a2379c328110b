import type { Json } from '../wire/messages.js';
import { copyPlain } from '../wire/plain.js';
import type { HeldField, HeldPiece } from './pieces.js';

/** One field of a context as the host told it. */
export interface DraftField extends HeldField {
  /** What a hook finds there at first: a fresh copy for each draft. */
  readonly make: () => unknown;
}

/** A field that stood in the message, and was parsed with it. */
export function smallField(value: Json): DraftField {
  const list = Array.isArray(value);
  // Made now: the value itself is the plugin's.
  const copy = copyPlain(value);
  const items: readonly unknown[] = list && Array.isArray(copy) ? copy : [copy];
  const piece: HeldPiece = { items: items.length, told: () => items, fresh: () => items };
  return { list, pieces: [piece], make: () => value };
}

/** A field that was told by reference. */
export function largeField({ list, pieces }: HeldField): DraftField {
  return {
    list,
    pieces,
    make: () => {
      const items = pieces.flatMap((piece) => piece.fresh());
      return list ? items : items[0];
    },
  };
}
