import type { ByteSource } from '../../../../sandbox/wire/streams.js';
import { type Finder, searched } from './find.js';

/** Replaces texts in chunked bytes, also across chunks. */
export interface Rewriter {
  /** Returns the finished bytes. Buffers a possible beginning of a match. */
  push(bytes: Uint8Array): Uint8Array;
  /** Returns the buffered bytes at the end. */
  end(): Uint8Array;
}

export interface Replacement {
  readonly finder: Finder;
  /** Returns the replacement. Called once for each match. */
  readonly by: (found: string) => string;
}

const NOTHING = new Uint8Array(0);

export function makeRewriter(replacements: readonly Replacement[]): Rewriter {
  let held = '';
  return {
    push: (bytes) => {
      // One character for each byte: the searched texts are ASCII, and other bytes stay unchanged.
      const text = held + Buffer.from(bytes).toString('latin1');
      const { done, rest } = rewrite(text, replacements, false);
      const untouched = held === '' && done === text;
      held = rest;
      return untouched ? bytes : Buffer.from(done, 'latin1');
    },
    end: () => {
      if (held === '') return NOTHING;
      const { done } = rewrite(held, replacements, true);
      held = '';
      return Buffer.from(done, 'latin1');
    },
  };
}

/** The text with all replacements. */
export function rewriteText(text: string, replacements: readonly Replacement[]): string {
  return rewrite(text, replacements, true).done;
}

/** A body, rewritten as it is pulled. */
export function rewriteSource(source: ByteSource, rewriter: Rewriter | undefined): ByteSource {
  if (rewriter === undefined) return source;
  let ended = false;
  return {
    pull: async () => {
      while (!ended) {
        const bytes = await source.pull();
        ended = bytes === undefined;
        const out = bytes === undefined ? rewriter.end() : rewriter.push(bytes);
        if (out.length > 0) return out;
      }
      return undefined;
    },
    cancel: (reason) => source.cancel(reason),
  };
}

/** `rest` is a possible beginning of a match. It is empty if `last`. */
function rewrite(
  text: string,
  replacements: readonly Replacement[],
  last: boolean,
): { readonly done: string; readonly rest: string } {
  const both = searched(text);
  const searches = replacements.map(({ finder, by }) => ({ search: finder.over(both), by }));
  let done = '';
  for (let at = 0; ;) {
    const [next] = searches
      .flatMap(({ search, by }) => {
        const span = search.next(at);
        return span === undefined ? [] : [{ ...span, by }];
      })
      .toSorted((a, b) => a.start - b.start || b.end - a.end);
    // guard: secret-scrubbed-across-chunks
    const begun = last ? [] : searches.map(({ search }) => search.begun(at) ?? text.length);
    const hold = Math.min(...begun, text.length);
    if (next === undefined || next.start >= hold) {
      return { done: done + text.slice(at, hold), rest: text.slice(hold) };
    }
    done += text.slice(at, next.start) + next.by(text.slice(next.start, next.end));
    at = next.end;
  }
}
