import type { Edit } from './edits.js';

/** What one pass over a bundle wants changed. */
export interface Rewriting {
  readonly edits: readonly Edit[];
  /** Declarations that the edited text needs, each on one line. */
  readonly prelude: readonly string[];
}

/** Gives names that nothing in a program has. */
export type Fresh = (word: string) => string;

export function makeFresh(taken: ReadonlySet<string>): Fresh {
  let count = 0;
  return (word) => {
    for (;;) {
      count += 1;
      const name = `$${word}${count}`;
      if (!taken.has(name)) return name;
    }
  };
}
