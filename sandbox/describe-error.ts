import { makeFailure } from './wire/failure.js';
import type { WireFailure } from './wire/messages.js';
import { originOf } from './endowments/error-origin.js';
import { inspect } from './endowments/inspect.js';

/**
 * Describes a thrown value of a plugin: an error, a string, nothing, or an object whose properties
 * throw. Never throws, and reads each property once.
 *
 * `getStackString` comes from the start realm. Only the start realm can read the stack of an error.
 */
export function describeError(
  error: unknown,
  getStackString: (error: Error) => string,
): WireFailure {
  if (!isError(error)) {
    if (typeof error === 'string') return makeFailure('Error', error);
    if (error === undefined || error === null) {
      return makeFailure('Error', `The plugin threw ${error} instead of an error.`);
    }
    return makeFailure('Error', readText(error, 'message') ?? inspect(error, BUDGET), {
      code: readText(error, 'code'),
    });
  }
  const name = readText(error, 'name') ?? 'Error';
  const message = readText(error, 'message') ?? '';
  return makeFailure(name, message, {
    code: readText(error, 'code'),
    stack: attempt(() => String(getStackString(originOf(error)))),
  });
}

function isError(value: unknown): value is Error {
  return attempt(() => value instanceof Error) === true;
}

/** A property that is a string; `undefined` for any other value. */
function readText(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const read: unknown = attempt(() => Reflect.get(value, key));
  return typeof read === 'string' ? read : undefined;
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const BUDGET = { maxText: 1000, maxDepth: 2, maxEntries: 20 };
