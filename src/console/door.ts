import { ConsoleRefusal } from './refusal.js';
import { isSameSecret, type Right, type Session } from './sessions.js';

const COOKIE = 'bulkhead_console';

/** The value of the console's cookie in a request. */
export function cookieOf(request: Request): string | undefined {
  const pairs = (request.headers.get('cookie') ?? '').split(/; */).map((pair) => pair.split('='));
  return pairs.find(([name]) => name === COOKIE)?.[1];
}

/** The header that sets the cookie; `undefined` deletes it. */
export function setCookie(value: string | undefined, origin: string): string {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  const age = value === undefined ? '; Max-Age=0' : '';
  return `${COOKIE}=${value ?? ''}; Path=/console; HttpOnly; SameSite=Strict${secure}${age}`;
}

/**
 * Throws for a request that a page of another origin sent. Browsers send `Origin` with each POST, so a POST
 * without it does not come from a form of this page.
 */
export function requireOwnPage(request: Request, origin: string): void {
  const site = request.headers.get('sec-fetch-site') ?? 'none';
  const posted = request.method !== 'GET' && request.method !== 'HEAD';
  // guard: console-origin-exact
  if (posted && request.headers.get('origin') !== origin) {
    throw new ConsoleRefusal(403, `Forms of this page are sent from ${origin} alone.`);
  }
  // A link on another site may lead here. Its page shows nothing of a session: the cookie is strict.
  // guard: console-fetch-site-checked
  if (posted && site !== 'none' && site !== 'same-origin') {
    throw new ConsoleRefusal(403, 'Pages of other sites may not send forms to this page.');
  }
}

/** Throws for a form without the token of this session. */
export function requireFormToken(form: URLSearchParams, { formToken }: Session): void {
  // guard: console-form-token-required
  if (!isSameSecret(form.get('form') ?? '', formToken)) {
    throw new ConsoleRefusal(403, 'This form belongs to another session. Load the page again.');
  }
}

const NEEDED: Readonly<Record<Right, string>> = {
  view: '--view-token',
  answer: '--answer-token',
  administer: '--admin-token',
};

export function requireRight({ rights }: Session, right: Right): void {
  // guard: console-right-required
  if (!rights.has(right)) {
    throw new ConsoleRefusal(
      403,
      `This session may ${[...rights].join(' and ')}. To ${right}, enter with the token of ${NEEDED[right]}.`,
    );
  }
}

/** A form is short. */
const MAX_FORM_BYTES = 64 * 1024;

/** The fields of a form. Throws for any other body. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new ConsoleRefusal(415, 'This page accepts its own forms alone.');
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = request.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) break;
    bytes += value.byteLength;
    // guard: console-form-cap
    if (bytes > MAX_FORM_BYTES) throw new ConsoleRefusal(413, 'This form is too large.');
    chunks.push(value);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

/** The headers of every page. No page may run a script that is not a file of this server. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
