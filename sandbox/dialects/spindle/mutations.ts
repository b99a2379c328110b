/**
 * Whether things may be changed at present. While a macro is resolved without committing (a preview,
 * a count of tokens) they may not: what it would write, nobody asked for.
 */
export interface Mutations {
  /** Throws while a macro is being resolved that does not commit. */
  allow(operation: string): void;
  /** Refuses mutations until what `resolve` gives has settled. */
  refuseDuring<Value>(resolve: () => Promise<Value>): Promise<Value>;
}

export function makeMutations(): Mutations {
  let refusing = 0;
  return {
    allow: (operation) => {
      if (refusing === 0) return;
      throw new Error(`${operation}() is not allowed during non-committing macro resolution`);
    },
    refuseDuring: async (resolve) => {
      refusing += 1;
      try {
        return await resolve();
      } finally {
        refusing -= 1;
      }
    },
  };
}
