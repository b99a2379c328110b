import type { HeldRequest } from '../index.js';
import { visible } from './visible.js';

/** The very request that a running tool is about to send, as whoever decides on it has to see it. */
export function effectLines(effect: HeldRequest): string[] {
  const { method, url, headers, body, bodyBytes } = effect;
  return [
    '  it is about to send',
    `    ${visible(method)} ${visible(url)}`,
    ...headers.map(([name, value]) => `    ${visible(name)}: ${visible(value)}`),
    ...(body === undefined ? [] : ['', ...body.split('\n').map((line) => `    ${visible(line)}`)]),
    ...(bodyBytes === undefined ? [] : [`    (${bodyBytes} bytes)`]),
  ];
}

/** Reads what a server says of such a request; what is none of it is left out. */
export function readEffect({
  method,
  url,
  headers,
  body,
  bodyBytes,
}: Readonly<Record<string, unknown>>): HeldRequest {
  const pairs: readonly unknown[] = Array.isArray(headers) ? headers : [];
  return {
    method: String(method),
    url: String(url),
    headers: pairs.flatMap((pair) =>
      Array.isArray(pair) ? [[String(pair[0]), String(pair[1])] as const] : [],
    ),
    ...(typeof body === 'string' ? { body } : {}),
    ...(typeof bodyBytes === 'number' ? { bodyBytes } : {}),
  };
}
