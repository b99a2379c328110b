import type { ByteSource } from '../../../../sandbox/wire/streams.js';
import { type Finder, searched } from './find.js';

/** Replaces texts in bytes that come in pieces, wherever the pieces end. */
export interface Rewriter {
  /** What can be passed on by now. Holds back what may be the beginning of something. */
  push(bytes: Uint8Array): Uint8Array;
  /** What was held back, when nothing more comes. */
  end(): Uint8Array;
}

export interface Replacement {
  readonly finder: Finder;
  /** What stands there instead; called once for every place, with what was found there. */
  readonly by: (found: string) => string;
}

const NOTHING = new Uint8Array(0);

export function makeRewriter(replacements: readonly Replacement[]): Rewriter {
  let held = '';
  return {
    push: (bytes) => {
      // Byte for character: what is looked for is ASCII, and no other byte is touched.
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

/** The text with everything replaced. */
export function rewriteText(text: string, replacements: readonly Replacement[]): string {
  return rewrite(text, replacements, true).done;
}

/** A body that passes through a rewriter where there is one, at the pace at which it is pulled. */
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

/** `rest` is empty where nothing more comes: what has only begun is then nothing. */
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
    const begun = last ? [] : searches.map(({ search }) => search.begun(at) ?? text.length);
    const hold = Math.min(...begun, text.length);
    if (next === undefined || next.start >= hold) {
      return { done: done + text.slice(at, hold), rest: text.slice(hold) };
    }
    done += text.slice(at, next.start) + next.by(text.slice(next.start, next.end));
    at = next.end;
  }
}
