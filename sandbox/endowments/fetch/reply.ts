import type { FetchReply } from '../../wire/methods.js';
import { isRecord } from '../../wire/parse.js';

/** Reads what the host answered to a `fetch`. Throws a TypeError for anything else. */
export function parseFetchReply(reply: unknown): FetchReply {
  if (!isRecord(reply)) throw malformed();
  const { url, status, statusText, redirected, headers, body } = reply;
  if (
    typeof url !== 'string' ||
    typeof status !== 'number' ||
    typeof statusText !== 'string' ||
    typeof redirected !== 'boolean' ||
    !Array.isArray(headers)
  ) {
    throw malformed();
  }
  return {
    url,
    status,
    statusText,
    redirected,
    headers: headers.map(parseHeader),
    ...(typeof body === 'number' ? { body } : {}),
  };
}

function parseHeader(header: unknown): readonly [string, string] {
  const [name, value]: unknown[] = Array.isArray(header) ? header : [];
  if (typeof name !== 'string' || typeof value !== 'string') throw malformed();
  return [name.toLowerCase(), value];
}

function malformed(): TypeError {
  return new TypeError('The host answered with something else than a response');
}
