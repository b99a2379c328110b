import { isWireCode, type WireCode, type WireFailure } from './messages.js';
import { MAX_ERROR_STACK, MAX_ERROR_TEXT } from './limits.js';

/** Makes the error that crosses the wire. Each text is cut to its cap. */
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

/** An error of the guest's own code, with the code that crosses the wire. */
export class CodedError extends Error {
  readonly code: WireCode;

  constructor(code: WireCode, message: string) {
    super(message);
    this.name = 'BulkheadError';
    this.code = code;
  }
}

/** An error from the other side of the wire. */
export class WireError extends Error {
  readonly code: WireCode | undefined;
  /** The other side's name and stack. Never shown to a model. */
  readonly remote: WireFailure;

  constructor(failure: WireFailure) {
    super(failure.message);
    this.name = 'WireError';
    this.code = failure.code;
    this.remote = failure;
  }
}

/** The other side broke the protocol. Nothing more is read from it. */
export class WireViolation extends Error {
  override readonly name = 'WireViolation';
}
