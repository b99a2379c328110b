import type { HookParams, LargeField } from '../wire/hooks.js';

/** A stretch of a field's text, with so many items of the list that the field is. */
export interface HeldPiece {
  readonly text: string;
  readonly items: number;
}

/**
 * The texts that large fields of contexts consist of. The host sends each once, says which of them
 * make up a field, and which may go: chains that follow each other are over nearly the same messages.
 */
export interface HeldPieces {
  /** Takes in what a message brings, at once; gives the texts of its large fields. */
  take(
    params: Pick<HookParams, 'pieces' | 'forget' | 'large'>,
  ): (field: LargeField) => readonly HeldPiece[];
}

export function makeHeldPieces(): HeldPieces {
  const held = new Map<number, string>();
  return {
    take: ({ pieces, forget, large }) => {
      for (const [id, text] of pieces) held.set(id, text);
      const texts = new Map<LargeField, readonly HeldPiece[]>();
      for (const field of Object.values(large)) {
        texts.set(
          field,
          field.pieces.map(([id, items]) => ({ text: held.get(id) ?? 'null', items })),
        );
      }
      for (const id of forget) held.delete(id);
      return (field) => texts.get(field) ?? [];
    },
  };
}
