import type { HookParams } from '../wire/hooks.js';

/**
 * The texts that large fields of contexts consist of. The host sends each once, says which of them
 * make up a field, and which may go: chains that follow each other are over nearly the same messages.
 */
export interface HeldPieces {
  /** Takes in what a message brings, at once; gives the texts of pieces by their ids. */
  take(params: Pick<HookParams, 'pieces' | 'forget'>): (id: number) => string;
}

export function makeHeldPieces(): HeldPieces {
  const held = new Map<number, string>();
  return {
    take: ({ pieces, forget }) => {
      for (const [id, text] of pieces) held.set(id, text);
      const now = new Map(held);
      for (const id of forget) held.delete(id);
      return (id) => now.get(id) ?? 'null';
    },
  };
}
