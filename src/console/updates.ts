import type { DescribedChange } from '../lock/describe-changes.js';
import type { FileDiff } from '../lock/source-diff.js';

/** The current version of a locked plugin, compared with the accepted one. */
export interface ReviewedUpdate {
  /** sha512 of the artifact: an acceptance is of exactly this. */
  readonly artifact: string;
  /** Empty: the current version is the accepted one. */
  readonly changes: readonly DescribedChange[];
  /** Why it needs a person: it asks for more than before. */
  readonly reasons: readonly string[];
  readonly code: readonly FileDiff[];
  /** Why the page cannot accept it. Absent: it can. */
  readonly refusal?: string;
}

/** The lock file, as far as the console reviews and changes it. */
export interface ConsoleUpdates {
  /** Ids of the locked plugins. */
  ids(): readonly string[];
  /** Reads and loads the current version without network access. Throws a `BulkheadError`. */
  review(id: string): Promise<ReviewedUpdate>;
  /**
   * Accepts the version that was reviewed last, if it still has this hash. `changed`: it has another.
   * Throws a `BulkheadError`.
   */
  accept(id: string, artifact: string, by: string): Promise<'accepted' | 'changed'>;
}
