import { type Header, valueOf } from '../request.js';
import { hostOf } from '../addresses.js';
import { isCredentialHeader, isCredentialParameter } from './credentials.js';
import { exactly, makeFinder } from './find.js';
import { makeRewriter, type Replacement, type Rewriter, rewriteText } from './rewrite.js';
import type { Secret, SecretUse } from './secret.js';

/** A request to one host, without its body. */
export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: readonly Header[];
}

export interface Inserted extends Outgoing {
  /** Rewrites the body. */
  readonly body: Rewriter;
  /** Whether the body's length may change. */
  readonly resizesBody: boolean;
  /** Why the request must not be sent: a secret whose binding says `only`. */
  readonly refused?: string;
}

export type OnUse = (use: SecretUse) => void;

/**
 * Replaces placeholders by values, only in the positions that the binding allows. Elsewhere it
 * sends the placeholder unchanged and reports it.
 */
export function makeInserter(
  secrets: readonly Secret[],
  onUse: OnUse,
): (outgoing: Outgoing) => Inserted {
  const known = secrets.map((secret) => ({
    secret,
    finder: makeFinder(exactly(secret.placeholder)),
  }));

  return (outgoing) => {
    const { url, method, headers } = outgoing;
    const bound = new Set(secrets.filter((secret) => secret.boundTo(url, method)));
    const reported = new Set<string>();
    const carried = new Set<Secret>();
    const report = (type: SecretUse['type'], secret: Secret, place: SecretUse['place']): void => {
      const key = `${type} ${secret.name} ${place}`;
      if (reported.has(key)) return;
      reported.add(key);
      onUse({ type, secret: secret.name, place, host: hostOf(url) });
    };

    const replace = (
      place: SecretUse['place'],
      name: string | undefined,
      write: (value: string) => string,
    ): readonly Replacement[] =>
      known.map(({ secret, finder }) => {
        // guard: secret-bound-to-host
        const goes = bound.has(secret) && mayStand(secret, place, name);
        return {
          finder,
          by: (found) => {
            if (goes && place !== 'body') carried.add(secret);
            report(goes ? 'secret-inserted' : 'secret-withheld', secret, place);
            return goes ? write(secret.value) : found;
          },
        };
      });

    rewriteText(url.hostname, replace('host', undefined, asItIs));
    rewriteText(url.pathname, replace('path', undefined, asItIs));
    const sent = new URL(url);
    sent.search = url.search
      .split('&')
      .map((parameter) =>
        rewriteText(parameter, replace('query', nameOf(parameter), encodeURIComponent)),
      )
      .join('&');
    const written = headers
      // guard: secret-range-request-refused
      .filter(([name]) => bound.size === 0 || !RANGES.has(name))
      .map(([name, value]): Header => [name, intoHeader(value, replace('header', name, asItIs))]);
    const refused = whyRefused({ bound, carried, before: outgoing, after: { sent, written } });
    return {
      ...(refused === undefined ? {} : { refused }),
      url: sent,
      method,
      headers: written,
      body: makeRewriter(replace('body', undefined, writerFor(headers))),
      resizesBody: [...bound].some(({ places }) => places.includes('body')),
    };
  };
}

interface Written {
  readonly bound: ReadonlySet<Secret>;
  /** The secrets that were inserted. */
  readonly carried: ReadonlySet<Secret>;
  readonly before: Outgoing;
  readonly after: { readonly sent: URL; readonly written: readonly Header[] };
}

/**
 * Whether a request could reach another account than that of the secret. What the secret was inserted into is
 * its own credential. `undefined`: no binding of this host says `only`, or the request is as it says.
 */
function whyRefused({ bound, carried, before, after }: Written): string | undefined {
  const exclusive = [...bound].filter(({ only }) => only === true);
  if (exclusive.length === 0) return undefined;
  const names = exclusive.map(({ name }) => name).join(' or ');
  // guard: exclusive-secret-required
  if (!exclusive.some((secret) => carried.has(secret))) return `it does not carry ${names}`;
  const { url, headers } = before;
  const own = new Set(after.written.map(([name, value]) => `${name} ${value}`));
  const foreign = headers.find(
    (header) => isCredentialHeader(header) && own.has(`${header[0]} ${header[1]}`),
  );
  // guard: exclusive-secret-alone
  if (foreign !== undefined) return `its header ${foreign[0]} is a credential other than ${names}`;
  const parameters = url.search.replace(/^\?/, '').split('&');
  const sent = new Set(after.sent.search.replace(/^\?/, '').split('&'));
  const parameter = parameters.find(
    (one) => isCredentialParameter(nameOf(one) ?? '') && sent.has(one),
  );
  return parameter === undefined
    ? undefined
    : `its parameter ${nameOf(parameter) ?? ''} is a credential other than ${names}`;
}

// A partial response may contain an unrecognizable part of a value.
const RANGES = new Set(['range', 'if-range']);

function mayStand(
  { places }: Secret,
  place: SecretUse['place'],
  name: string | undefined,
): boolean {
  // guard: secret-bound-to-place
  return places.some((allowed) => allowed === place || allowed === `${place}:${name}`);
}

/** The name of a parameter `name=value`. A parameter without a value has no name. */
function nameOf(parameter: string): string | undefined {
  const at = parameter.indexOf('=');
  if (at < 0) return undefined;
  const name = parameter.slice(parameter.startsWith('?') ? 1 : 0, at).replaceAll('+', ' ');
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

/** Basic credentials are rewritten inside their base64. */
function intoHeader(value: string, replacements: readonly Replacement[]): string {
  const [, scheme = '', encoded] = /^(basic +)([A-Za-z0-9+/]+=*)$/i.exec(value) ?? [];
  if (encoded === undefined) return rewriteText(value, replacements);
  const plain = Buffer.from(encoded, 'base64').toString('latin1');
  const written = rewriteText(plain, replacements);
  if (written === plain) return value;
  return `${scheme}${Buffer.from(written, 'latin1').toString('base64')}`;
}

/** How a body of that content type escapes a text. */
function writerFor(headers: readonly Header[]): (value: string) => string {
  const type = (valueOf(headers, 'content-type') ?? '').toLowerCase().split(';')[0]?.trim() ?? '';
  if (type === 'application/x-www-form-urlencoded') return encodeURIComponent;
  if (type === 'application/json' || type.endsWith('+json')) return intoJson;
  return asItIs;
}

function asItIs(value: string): string {
  return value;
}

function intoJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
