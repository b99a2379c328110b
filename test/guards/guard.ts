/** One line of the product that keeps something out, and the tests that say so. */
export interface Guard {
  /** What it keeps from happening, as a sentence that ends where the guard is missing. */
  readonly stops: string;
  readonly file: string;
  /** Its text in the source, which stands there once. */
  readonly code: string;
  /** What stands there where the guard is gone. */
  readonly without: string;
  /** Where a test has to fail then. */
  readonly tests: readonly string[];
}
