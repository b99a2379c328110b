import type { AnyNode, CallExpression, NewExpression } from 'acorn';
import type { SuggestedKind } from './suggestion.js';

/** What one use of a name comes to. */
export interface Finding {
  readonly permission: SuggestedKind | 'none';
  /** Absent: it cannot be told. */
  readonly scope?: string;
  readonly why: string;
  /** A file that the plugin may have come with: then it is read by the fs permission. */
  readonly file?: string;
  readonly node: AnyNode;
}

/** What is reached from a name by members. */
export interface Member {
  /** `readFile` of `fs.promises.readFile`, by which it is reached. */
  readonly path: readonly string[];
  /** The whole of it: `fs.promises.readFile`. */
  readonly node: AnyNode;
  /** The call of it, where it is called. */
  readonly call: CallExpression | NewExpression | undefined;
}
