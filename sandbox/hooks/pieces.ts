import type { HookParams, LargeField } from '../wire/hooks.js';
import { copyPlain } from '../wire/plain.js';

/** A stretch of a field: items of the list that it is, or the one value. */
export interface HeldPiece {
  /** How many there are. */
  readonly items: number;
  /** As the host told them, for comparison: nobody else gets hold of them. */
  told(): readonly unknown[];
  /** Copies, for a plugin to do with as it likes. */
  fresh(): readonly unknown[];
}

/**
 * The pieces that large fields of contexts consist of. The host sends each once, says which of them
 * make up a field, and which may go: chains that follow each other are over nearly the same messages.
 */
export interface HeldPieces {
  /** Takes in what a message brings, at once; gives the pieces of its large fields. */
  take(
    params: Pick<HookParams, 'pieces' | 'forget' | 'large'>,
  ): (field: LargeField) => readonly HeldPiece[];
}

export function makeHeldPieces(): HeldPieces {
  const held = new Map<number, Held>();
  return {
    take: ({ pieces, forget, large }) => {
      for (const [id, text, values] of pieces) held.set(id, holdPiece(text, values));
      const fields = new Map<LargeField, readonly HeldPiece[]>();
      for (const field of Object.values(large)) {
        fields.set(
          field,
          field.pieces.map(([id, items]) => ({ items, ...(held.get(id) ?? NONE) })),
        );
      }
      for (const id of forget) held.delete(id);
      return (field) => fields.get(field) ?? [];
    },
  };
}

type Held = Omit<HeldPiece, 'items'>;

/**
 * Characters for each value from which on a text is parsed once. What is kept then takes about twice
 * the memory that the text does, and to copy it takes a tenth of the time that parsing takes.
 */
const ROOMY = 32;

function holdPiece(text: string, values: number): Held {
  return text.length < values * ROOMY ? holdText(text) : holdItems(text);
}

function holdText(text: string): Held {
  const parse = (): readonly unknown[] => parseItems(text);
  return { told: parse, fresh: parse };
}

function holdItems(text: string): Held {
  let unparsed = text;
  let parsed: readonly unknown[] | undefined;
  const told = (): readonly unknown[] => {
    parsed ??= parseItems(unparsed);
    unparsed = '';
    return parsed;
  };
  return { told, fresh: () => told().map(copyPlain) };
}

function parseItems(text: string): readonly unknown[] {
  const items: unknown = JSON.parse(`[${text}]`);
  return Array.isArray(items) ? items : [];
}

/** What the host does not tell is not there. */
const NONE: Held = { told: () => [], fresh: () => [] };
