/** What a code means, for whoever has just met it. */
export interface Explanation {
  /** A few words, as the heading of an error. */
  readonly title: string;
  readonly meaning: string;
  /** What would make it go away. */
  readonly remedy: string;
}
