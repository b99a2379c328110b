import { type BulkheadError, isBulkheadError } from '../../errors.js';
import { DialError } from './connections.js';
import { cut, type Refusals } from './refusals.js';

/**
 * Turns whatever an exchange with `host` ran into into what a plugin may read. What came from below
 * stays with the error as its cause, for the host's log: it may hold addresses.
 */
export function explainFailure(error: unknown, host: string, refusals: Refusals): BulkheadError {
  if (isBulkheadError(error)) return error;
  if (error instanceof DialError) return explainFailure(error.cause, host, refusals);
  const code = codeOf(error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return refusals.limit('maxResponseHeaderBytes', `the headers of ${cut(host)} are too long`);
  }
  return refusals.failed(host, sentence(code), error);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

function sentence(code: string): string {
  const known = SENTENCES.get(code);
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'the answer is not valid HTTP';
  if (/^(Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING)/.test(code))
    return 'the answer cannot be decompressed';
  if (/CERT|SIGNED|ISSUER|ERR_TLS|VERIFY/.test(code)) {
    return 'its TLS certificate is not trusted, and only the operator can add a CA';
  }
  if (/^ERR_SSL|^EPROTO/.test(code)) return 'no TLS connection could be made';
  return 'the connection failed';
}

const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'there is no such host'],
  ['ENODATA', 'there is no such host'],
  ['EBADNAME', 'there is no such host'],
  ['ESERVFAIL', 'its name could not be resolved'],
  ['ETIMEOUT', 'its name could not be resolved in time'],
  ['EAI_AGAIN', 'its name could not be resolved'],
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was closed before the answer was complete'],
  ['EPIPE', 'the connection was closed before the request was complete'],
  ['UND_ERR_SOCKET', 'the connection was closed before the answer was complete'],
  ['ETIMEDOUT', 'the host could not be reached in time'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the host cannot be reached'],
  ['EADDRNOTAVAIL', 'the host cannot be reached'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'the answer is not as long as it says'],
  ['UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', 'the body sent is not as long as announced'],
]);
