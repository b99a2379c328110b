import { isWireCode, type WireCode } from './codes.js';
import { MAX_ERROR_STACK, MAX_ERROR_TEXT } from './limits.js';
import type { WireFailure } from './messages.js';

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

/** An error of our own in the guest, with the code that it crosses under. */
export class CodedError extends Error {
  readonly code: WireCode;

  constructor(code: WireCode, message: string) {
    super(message);
    this.name = 'BulkheadError';
    this.code = code;
  }
}

/** An error that came off the wire, on the side that asked. */
export class WireError extends Error {
  readonly code: WireCode | undefined;
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
