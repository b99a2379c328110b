/** A stranger's text, cut to a length. Control characters stay: whoever prints it escapes them. */
export function cutText(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

/** A stranger's text inside a sentence of ours: quoted, so that it cannot pass for more of it. */
export function quoteText(text: string): string {
  return JSON.stringify(cutText(text, 200));
}
