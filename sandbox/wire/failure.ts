import { MAX_ERROR_STACK, MAX_ERROR_TEXT } from './limits.js';
import type { WireFailure } from './messages.js';

/**
 * The codes an error may carry across. From a guest they are claims: good enough to word an answer
 * to the model, never evidence (what a broker refused, the broker itself reports).
 */
export const WIRE_CODES: readonly string[] = [
  'TIME_DENIED',
  'RANDOM_DENIED',
  'NETWORK_DENIED',
  'NETWORK_FAILED',
  'NETWORK_LIMIT',
  'FILESYSTEM_DENIED',
  'FILESYSTEM_FAILED',
  'FILESYSTEM_LIMIT',
  'ENVIRONMENT_DENIED',
  'PERMISSION_REVOKED',
  'BUILTIN_DENIED',
  'CANCELLED',
  'INVALID_INPUT',
  'INVALID_SCHEMA',
  'INVALID_TOOL',
  'LOAD_FAILED',
  'SES_INCOMPATIBLE',
  'RESULT_INVALID',
  'RESULT_TOO_LARGE',
  'TOOL_FAILED',
  'TOOL_NOT_FOUND',
];

const codes = new Set(WIRE_CODES);

export function isWireCode(code: unknown): code is string {
  return typeof code === 'string' && codes.has(code);
}

/** Builds the error that crosses out of texts, each cut to what may cross. */
export function makeFailure(
  name: string,
  message: string,
  more: { readonly code?: string | undefined; readonly stack?: string | undefined } = {},
): WireFailure {
  return {
    name: cut(name, 200),
    message: cut(message, MAX_ERROR_TEXT),
    ...(isWireCode(more.code) ? { code: more.code } : {}),
    ...(more.stack === undefined ? {} : { stack: cut(more.stack, MAX_ERROR_STACK) }),
  };
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

/** An error that came off the wire, on the side that asked. */
export class WireError extends Error {
  readonly code: string | undefined;
  /** The other side's name and stack for it, never shown to a model. */
  readonly remote: WireFailure;

  constructor(failure: WireFailure) {
    super(failure.message);
    this.name = 'WireError';
    this.code = failure.code;
    this.remote = failure;
  }
}

/** The other side broke the protocol: whatever it says next is not read. */
export class WireViolation extends Error {
  override readonly name = 'WireViolation';
}
