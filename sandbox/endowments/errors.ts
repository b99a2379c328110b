import { WireError } from '../wire/failure.js';

/** Adds the `code`, which survives the wire and which plugin code can match. */
export function withCode<Fault extends Error>(
  error: Fault,
  code: string,
): Fault & { code: string } {
  return Object.assign(error, { code });
}

/**
 * Converts an error for plugin code. Wire errors do not reach the plugin, because they have the
 * host's name and stack. Any error that is not ours is replaced by one with the message
 * `otherwise`.
 */
export function toPluginError(error: unknown, code: string, otherwise: string): Error {
  if (error instanceof WireError) return withCode(new Error(error.message), error.code ?? code);
  const isOurs = error instanceof Error && Object.getPrototypeOf(error) === Error.prototype;
  return isOurs && 'code' in error ? error : withCode(new Error(otherwise), code);
}
