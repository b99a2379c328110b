import type { Json } from '../wire/messages.js';
import { copyPlain } from '../wire/plain.js';
import type { CachedField, CachedPiece } from './piece-cache.js';

/** One field of a context, as the host sent it. */
export interface DraftField extends CachedField {
  /** Creates the initial value. Each draft gets its own copy. */
  readonly make: () => unknown;
}

/** A field that was sent inline and parsed with the message. */
export function smallField(value: Json): DraftField {
  const list = Array.isArray(value);
  // Copied now, because the plugin may change the value itself.
  const copy = copyPlain(value);
  const items: readonly unknown[] = list && Array.isArray(copy) ? copy : [copy];
  const piece: CachedPiece = { items: items.length, sent: () => items, fresh: () => items };
  return { list, pieces: [piece], make: () => value };
}

/** A field that was sent by reference. */
export function largeField({ list, pieces }: CachedField): DraftField {
  return {
    list,
    pieces,
    make: () => {
      const items = pieces.flatMap((piece) => piece.fresh());
      return list ? items : items[0];
    },
  };
}
