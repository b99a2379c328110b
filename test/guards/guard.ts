/** One statement of the product that stops something, and the tests that prove it. */
export interface Guard {
  /** Unique. In the sources the comment `// guard: <id>` stands directly above the statement. */
  readonly id: string;
  /** What happens without the guard, as a noun phrase. */
  readonly stops: string;
  /** How the script takes the guard out. */
  readonly mutation: Mutation;
  /** Test files or folders; at least one test fails without the guard. */
  readonly tests: readonly string[];
}

/**
 * - `remove` deletes the statement, property, list element or call of a chain.
 * - `never` and `always` replace the first condition of an `if`, loop or `?:`; if there is none, the
 *   value that is assigned or returned.
 * - `left` and `right` keep one operand of the first binary or logical expression.
 * - `unwrap` replaces the first call by its first argument.
 * - `nothing` replaces the value that is assigned or returned by `undefined`.
 * - `idle-callback` empties the first function that is passed to a call.
 * - `replace` edits the text of the anchored node, if no other mutation fits. Without local names: a
 *   rename would break it.
 */
export type Mutation =
  | 'remove'
  | 'never'
  | 'always'
  | 'left'
  | 'right'
  | 'unwrap'
  | 'nothing'
  | 'idle-callback'
  | { readonly replace: readonly [pattern: string | RegExp, text: string] };
