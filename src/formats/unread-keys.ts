import { didYouMean } from '../did-you-mean.js';
import { quoteText } from './quote.js';

/** The keys of a tool in one format. */
export interface ToolKeys {
  readonly known: readonly string[];
  /** The words of other formats for the same thing. */
  readonly elsewhere: ReadonlyMap<string, string>;
}

/** Reports keys that are probably misspelt. Other unknown keys may be the author's own. */
export function reportUnreadKeys(
  value: unknown,
  { known, elsewhere }: ToolKeys,
  report: (problem: string) => void,
): void {
  const keys: readonly unknown[] = Array.isArray(value) ? value : [];
  for (const key of keys) {
    if (typeof key !== 'string') continue;
    const meant = elsewhere.get(key) ?? didYouMean(key, known);
    if (meant !== undefined) report(`${quoteText(key)} is not read. Did you mean "${meant}"?`);
  }
}
