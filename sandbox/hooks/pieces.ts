import type { HookParams, ToldPiece } from '../wire/hooks.js';
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

/** A list whose items are those of its pieces, or the value that is in one. */
export interface HeldField {
  readonly list: boolean;
  readonly pieces: readonly HeldPiece[];
}

/**
 * The pieces that large fields of contexts consist of. The host sends each once, says which of them
 * make up a field, and which may go: chains that follow each other are over nearly the same messages.
 */
export interface HeldPieces {
  /** Takes in what a message brings, at once; gives what its large fields are. */
  take(params: Pick<HookParams, 'pieces' | 'forget' | 'told'>): readonly HeldField[];
}

export function makeHeldPieces(): HeldPieces {
  const held = new Map<number, HeldPiece>();
  return {
    take: ({ pieces, forget, told }) => {
      for (const piece of pieces) held.set(piece[0], holdPiece(piece));
      const fields = told.map((field) => ({
        list: field.list,
        pieces: field.pieces.map((id) => held.get(id) ?? NONE),
      }));
      for (const id of forget) held.delete(id);
      return fields;
    },
  };
}

/**
 * Characters for each value from which on a text is parsed once. What is kept then takes about twice
 * the memory that the text does, and to copy it takes a tenth of the time that parsing takes.
 */
const ROOMY = 32;

function holdPiece([, text, items, values]: ToldPiece): HeldPiece {
  return { items, ...(text.length < values * ROOMY ? holdText(text) : holdItems(text)) };
}

function holdText(text: string): Omit<HeldPiece, 'items'> {
  const parse = (): readonly unknown[] => parseItems(text);
  return { told: parse, fresh: parse };
}

function holdItems(text: string): Omit<HeldPiece, 'items'> {
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
const NONE: HeldPiece = { items: 0, told: () => [], fresh: () => [] };
