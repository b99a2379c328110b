/** A replacement of `text.slice(start, end)`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Applies edits to a text. Those that begin at one place apply in the order given; where two
 * overlap, that is a mistake of the caller's and throws.
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

/** The text with everything but its line breaks made into spaces: as long, on the same lines. */
export function blank(text: string): string {
  return text.replace(/[^\n\r\u2028\u2029]/g, ' ');
}

/** The line breaks of a text and nothing else: what keeps the lines below it where they were. */
export function lineBreaks(text: string): string {
  return text.replace(/[^\n]/g, '');
}
