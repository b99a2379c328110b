import type { ByteSource } from '../../../../sandbox/wire/streams.js';
import type { ResponseHead } from '../exchange.js';
import { type Header, without } from '../headers.js';
import { makeFinder } from './find.js';
import { makeRewriter, type Replacement, rewriteSource, rewriteText } from './rewrite.js';
import type { Secret } from './secret.js';
import { spellingsOf } from './spelling.js';

/** Puts placeholders back where values stand in what comes from a server, or goes to a log. */
export interface Scrubber {
  /** Before anything is read from the head, so that a redirect leads where the plugin could go. */
  head(head: ResponseHead, onFound: OnFound): ResponseHead;
  /** The headers and body of an answer, once it is unpacked. `undefined` where it is still packed. */
  answer(answer: Answer, onFound: OnFound): Answer | undefined;
  text(text: string): string;
}

export type OnFound = (secret: Secret, place: 'header' | 'body') => void;

export interface Answer {
  readonly headers: readonly Header[];
  readonly body: ByteSource | undefined;
}

export function makeScrubber(secrets: readonly Secret[]): Scrubber {
  const finders = secrets.flatMap((secret) =>
    spellingsOf(secret.value).map((spelling) => ({ secret, finder: makeFinder(spelling) })),
  );
  const replacements = (onFound: (secret: Secret) => void): readonly Replacement[] =>
    finders.map(({ secret, finder }) => ({
      finder,
      by: () => {
        onFound(secret);
        return secret.placeholder;
      },
    }));
  const ignoring = replacements(() => {});

  return {
    head: (head, onFound) => {
      const inHead = replacements((secret) => onFound(secret, 'header'));
      const clean = (text: string): string => rewriteText(text, inHead);
      return {
        ...head,
        statusText: clean(head.statusText),
        headers: head.headers
          // A name cannot hold a placeholder's place: whoever reads it asks for a name he knows.
          .filter(([name]) => clean(name) === name)
          .map(([name, value]): Header => [name, clean(value)]),
      };
    },
    answer: ({ headers, body }, onFound) => {
      if (body === undefined) return { headers, body };
      // What we cannot unpack, the plugin perhaps can.
      if (headers.some(isPacked)) return undefined;
      const rewriter = makeRewriter(replacements((secret) => onFound(secret, 'body')));
      return {
        headers: without(headers, ['content-length']),
        body: rewriteSource(body, rewriter),
      };
    },
    text: (text) => rewriteText(text, ignoring),
  };
}

function isPacked([name, value]: Header): boolean {
  return name === 'content-encoding' && !/^(identity|\s|,)*$/i.test(value);
}
