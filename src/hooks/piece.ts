/**
 * A stretch of JSON text, made once and sent to each guest at most once. A piece of a list holds so
 * many of its items, joined by commas; any other value is one piece.
 */
export interface Piece {
  readonly id: number;
  readonly text: string;
  readonly items: number;
  readonly bytes: number;
  /** Values in it. */
  readonly nodes: number;
  /** Itself as a JSON string: how it travels. */
  readonly quoted: string;
}

/** The text of one field of a context. */
export interface FieldText {
  readonly list: boolean;
  readonly pieces: readonly Piece[];
  /** Of a list: its items as they were written, in copies that nobody else holds. */
  readonly items: readonly unknown[];
}
