import type { Header } from '../request.js';

/** Names of headers by which a service recognizes an account. */
const HEADER =
  /auth|cookie|token|secret|passw|session|credential|signature|jwt|(?:^|-)(?:api-?)?key$/i;

/** Headers that match and say nothing about an account. */
const HARMLESS: ReadonlySet<string> = new Set(['idempotency-key', 'sec-websocket-key']);

/** Names of parameters by which a service recognizes an account. */
const PARAMETER =
  /^(?:(?:x-)?api[_-]?key|(?:subscription[_-]?)?key|appid|app[_-]?key|access[_-]?token|id[_-]?token|auth|auth[_-]?token|token|bearer|client[_-]?secret|secret|password|passwd|pwd|sig|signature|jwt|session(?:[_-]?id)?|user(?:name)?)$/i;

/** Whether a service may recognize an account by the header. */
export function isCredentialHeader([name]: Header): boolean {
  return HEADER.test(name) && !HARMLESS.has(name.toLowerCase());
}

/** Whether a service may recognize an account by the parameter. */
export function isCredentialParameter(name: string): boolean {
  return PARAMETER.test(name);
}
