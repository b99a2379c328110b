/** A replacement of `text.slice(start, end)`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Applies edits to a text. Edits with the same start apply in the order given. Throws if two
 * overlap.
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const sorted = edits.toSorted((a, b) => a.start - b.start);
  const parts: string[] = [];
  let at = 0;
  for (const edit of sorted) {
    if (edit.start < at) throw new RangeError(`two edits overlap at ${edit.start}`);
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/** Replaces every character except line breaks by a space. */
export function blank(text: string): string {
  return text.replace(/[^\n\r\u2028\u2029]/g, ' ');
}

/** The line breaks of a text, which keep later lines in place. */
export function lineBreaks(text: string): string {
  return text.replace(/[^\n]/g, '');
}

/** The changes of one pass over a bundle. */
export interface Rewriting {
  readonly edits: readonly Edit[];
  /** Declarations that the edited text needs, each on one line. */
  readonly prelude: readonly string[];
}

/** Returns names that the program does not use. */
export type Fresh = (word: string) => string;

export function makeFresh(used: ReadonlySet<string>): Fresh {
  let count = 0;
  return (word) => {
    for (;;) {
      count += 1;
      const name = `$${word}${count}`;
      if (!used.has(name)) return name;
    }
  };
}
