import { WireError } from '../../wire/failure.js';
import { withCode } from '../coded-error.js';

/** The error of a request that failed, as the web's `fetch` throws it: a TypeError. */
export function networkError(code: string, message: string): TypeError {
  return withCode(new TypeError(message), code);
}

/**
 * Makes of what a request ran into what plugin code may see: a TypeError. The wire's own error stays
 * on this side, because it carries the host's name and stack for it.
 */
export function toNetworkError(error: unknown): TypeError {
  // One of ours by its class, and not of a class that the platform or the wire made of it.
  if (error instanceof TypeError && Object.getPrototypeOf(error) === TypeError.prototype) {
    return error;
  }
  return error instanceof WireError
    ? networkError(error.code ?? 'NETWORK_FAILED', error.message)
    : networkError('NETWORK_FAILED', 'fetch failed: the host does not answer');
}
