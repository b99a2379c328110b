import { createHash } from 'node:crypto';

/**
 * A long text as the pieces that it is joined from. Those of an earlier build are the same strings, so they are not
 * copied and not sent again.
 */
export type Pieces = readonly string[];

/** A bundle whose texts are not joined yet. */
export type InPieces<Whole extends { readonly code: string; readonly sourceMap: string }> = Omit<
  Whole,
  'code' | 'sourceMap'
> & { readonly code: Pieces; readonly sourceMap: Pieces };

/** Characters of a piece from which on its number is sent instead, if the receiver has it. */
const MIN_CHARACTERS = 1024;

/** As `integrityOf` of the joined text. */
export function integrityOfPieces(pieces: Pieces): string {
  const hash = createHash('sha512');
  for (const piece of pieces) hash.update(piece);
  return `sha512-${hash.digest('base64')}`;
}

/** Characters of a whole text. What the largest plugin becomes is far below it, and so is V8's longest string above. */
const MAX_CHARACTERS = 256 * 1024 * 1024;

/** Each piece, or its number in `former`. The numbers increase. */
export function abbreviate(pieces: Pieces, former: Pieces): readonly (string | number)[] {
  let next = 0;
  return pieces.map((piece) => {
    const at = piece.length < MIN_CHARACTERS ? -1 : former.indexOf(piece, next);
    if (at === -1) return piece;
    next = at + 1;
    return at;
  });
}

/** The pieces that `abbreviate` was given. `undefined`: the value is not of that form, or far too long. */
export function restorePieces(value: unknown, former: Pieces): Pieces | undefined {
  if (!Array.isArray(value)) return undefined;
  const pieces: string[] = [];
  let next = 0;
  let characters = 0;
  for (const one of value) {
    // Each is used once, so that a short message does not become a text of gigabytes.
    // guard: bundle-piece-used-once
    const piece: unknown = typeof one === 'number' && one >= next ? former[one] : one;
    if (typeof piece !== 'string') return undefined;
    if (typeof one === 'number') next = one + 1;
    characters += piece.length;
    if (characters > MAX_CHARACTERS) return undefined;
    pieces.push(piece);
  }
  return pieces;
}

/** V8 copies the pieces when the text is read, and the text of a source map rarely is. */
export function textOfPieces(pieces: Pieces): string {
  return pieces.reduce((text, piece) => text + piece, '');
}
