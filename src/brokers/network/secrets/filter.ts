import { type Inserted, makeInserter, type OnUse, type Outgoing } from './insert.js';
import type { Secret } from './secret.js';
import type { ByteSource } from '../../../../sandbox/wire/streams.js';
import type { ResponseHead } from '../exchange.js';
import { type Header, without } from '../request.js';
import { makeFinder, spellingsOf } from './find.js';
import { makeRewriter, type Replacement, rewriteSource, rewriteText } from './rewrite.js';

/** Inserts one plugin's secrets into requests, and scrubs them from responses. */
export interface SecretFilter extends Pick<Scrubber, 'text'> {
  insert(outgoing: Outgoing): Inserted;
  /** For a response from `host`. Reports each secret once. */
  scrubberFor(host: string): { [Part in 'head' | 'answer']: Scrub<Part> };
}

type Scrub<Part extends 'head' | 'answer'> = (
  part: Parameters<Scrubber[Part]>[0],
) => ReturnType<Scrubber[Part]>;

/** Makes the filter that reports uses to a listener. */
export type MakeSecretFilter = (onUse: OnUse) => SecretFilter;

/** `undefined` without secrets: then no traffic is inspected. */
export function secretFilterFor(secrets: readonly Secret[]): MakeSecretFilter | undefined {
  if (secrets.length === 0) return undefined;
  const scrubber = makeScrubber(secrets);
  return (onUse) => ({
    text: scrubber.text,
    insert: (outgoing) => makeInserter(secrets, onUse)(outgoing),
    scrubberFor: (host) => {
      const reported = new Set<string>();
      const report = ({ name }: Secret, place: 'header' | 'body'): void => {
        if (reported.has(`${name} ${place}`)) return;
        reported.add(`${name} ${place}`);
        onUse({ type: 'secret-scrubbed', secret: name, place, host });
      };
      return {
        head: (head) => scrubber.head(head, report),
        answer: (answer) => scrubber.answer(answer, report),
      };
    },
  });
}

/** Replaces values by placeholders in data from a server, and in logs. */
export interface Scrubber {
  /** Call it before the headers are used, so that a redirect cannot use a value. */
  head(head: ResponseHead, onFound: OnFound): ResponseHead;
  /** The headers and the decoded body of a response. `undefined` if the body is still encoded. */
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
          // Names with values are dropped: a placeholder in a header name would be useless.
          .filter(([name]) => clean(name) === name)
          .map(([name, value]): Header => [name, clean(value)]),
      };
    },
    answer: ({ headers, body }, onFound) => {
      if (body === undefined) return { headers, body };
      // The plugin might be able to decode a coding that the host cannot.
      // guard: secret-packed-body-dropped
      if (headers.some(isPacked)) return undefined;
      const rewriter = makeRewriter(replacements((secret) => onFound(secret, 'body')));
      return {
        headers: without(headers, ['content-length']),
        // guard: secret-scrubbed-from-body
        body: rewriteSource(body, rewriter),
      };
    },
    text: (text) => rewriteText(text, ignoring),
  };
}

function isPacked([name, value]: Header): boolean {
  return name === 'content-encoding' && !/^(identity|\s|,)*$/i.test(value);
}
