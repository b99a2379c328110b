import type { Attribution } from '../../attribution.js';

/**
 * A variable that a plugin holds a reference to, and never the value of: it sees the placeholder,
 * and the network broker puts the value in its place where the operator has bound it.
 */
export interface Secret {
  /** The variable's name. */
  readonly name: string;
  /** What the plugin sees. Letters, digits and hyphens: no encoding of a request changes them. */
  readonly placeholder: string;
  readonly value: string;
  /** Whether a request to that URL, by that method, may carry the value. */
  readonly boundTo: (url: URL, method: string) => boolean;
  readonly places: readonly SecretPlace[];
}

/**
 * Where in a request a value may stand: in any header, or in that one; in any parameter of the
 * query, or in that one; in the body.
 */
export type SecretPlace = 'header' | 'query' | 'body' | `header:${string}` | `query:${string}`;

/** What became of a secret in one exchange. For the host's eyes: no plugin learns it. */
export interface SecretUse extends Attribution {
  readonly type: 'secret-inserted' | 'secret-withheld' | 'secret-scrubbed';
  /** The variable's name. */
  readonly secret: string;
  /**
   * Where the reference stood, or the value came back. `host` and `path` are places of a URL that
   * never hold a value.
   */
  readonly place: 'host' | 'path' | 'query' | 'header' | 'body';
  /** The host that was sent to. */
  readonly host: string;
}

/** What every placeholder begins with, so that people know one when they see it. */
export const PLACEHOLDER_PREFIX = 'bulkhead-secret-';

/** The placeholder with that random text, which has to be hexadecimal: nobody may guess it. */
export function placeholderOf(random: string): string {
  return `${PLACEHOLDER_PREFIX}${random}`;
}
