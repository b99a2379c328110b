import { WireError } from '../wire/failure.js';
import { withCode } from './coded-error.js';

/**
 * An error as plugin code gets it. What the wire threw stays on this side: it carries the host's own
 * name and stack for it. Anything else that is not ours is told in the words given.
 */
export function toPluginError(error: unknown, code: string, otherwise: string): Error {
  if (error instanceof WireError) return withCode(new Error(error.message), error.code ?? code);
  const isOurs = error instanceof Error && Object.getPrototypeOf(error) === Error.prototype;
  return isOurs && 'code' in error ? error : withCode(new Error(otherwise), code);
}
