import { WireError } from '../../wire/failure.js';
import { withCode } from '../errors.js';

/** The error of a failed request: a TypeError, as the web's `fetch` throws. */
export function networkError(code: string, message: string): TypeError {
  return withCode(new TypeError(message), code);
}

/**
 * Converts an error of a request to a TypeError for plugin code. The wire's own error stays
 * internal, because it has the host's name and stack.
 */
export function toNetworkError(error: unknown): TypeError {
  // Our own TypeError, not one of the platform or of the wire.
  if (error instanceof TypeError && Object.getPrototypeOf(error) === TypeError.prototype) {
    return error;
  }
  return error instanceof WireError
    ? networkError(error.code ?? 'NETWORK_FAILED', error.message)
    : networkError('NETWORK_FAILED', 'fetch failed: the host does not answer');
}
