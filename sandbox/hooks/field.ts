import type { Json } from '../wire/messages.js';
import type { LargeField } from '../wire/hooks.js';
import type { HeldPiece } from './pieces.js';

/** One field of a context as the host told it. */
export interface DraftField {
  readonly name: string;
  /** Whether it is a list, of which each text holds some items, joined by commas. */
  readonly list: boolean;
  readonly texts: readonly HeldPiece[];
  /** What a hook finds there at first: a fresh copy for each draft. */
  readonly parse: () => unknown;
  /** Whether a value is the very text, number or word that it was. What is no object is not looked into. */
  readonly isSame: (value: unknown) => boolean;
}

/** A field that stood in the message, and was parsed with it. */
export function smallField(name: string, value: Json): DraftField {
  const text = JSON.stringify(value);
  const list = Array.isArray(value);
  const items = list ? value.length : 1;
  return {
    name,
    list,
    texts: items === 0 ? [] : [{ text: list ? text.slice(1, -1) : text, items }],
    parse: () => value,
    isSame: (other) => other === value && (typeof value !== 'object' || value === null),
  };
}

/** A field that was told by reference. */
export function largeField(
  name: string,
  { list }: LargeField,
  texts: readonly HeldPiece[],
): DraftField {
  return {
    name,
    list,
    texts,
    parse: () => {
      const text = texts.map((piece) => piece.text).join(',');
      const value: unknown = JSON.parse(list ? `[${text}]` : text);
      return value;
    },
    isSame: () => false,
  };
}
