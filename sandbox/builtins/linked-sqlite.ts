import type { SqliteFailure } from '../endowments/sqlite/connection.js';
import type { SqliteFace } from '../endowments/sqlite/sqlite.js';
import { refusal } from './denied.js';

/** The argument of a bundle. A bundle that runs without it has no SQLite. */
declare const $bulkhead: { readonly modules: Readonly<Record<string, unknown>> } | undefined;

/** SQLite from the plugin's guest. */
export function linkedSqlite(module: string): SqliteFace {
  const face: unknown =
    typeof $bulkhead === 'undefined' ? undefined : $bulkhead.modules['bulkhead:sqlite'];
  if (!isFace(face)) throw refusal(module, 'open');
  return face;
}

function isFace(face: unknown): face is SqliteFace {
  return typeof face === 'object' && face !== null && 'open' in face;
}

/** Whether an error is one of SQLite, and not a denial or an error of the plugin's own function. */
export function isSqliteFailure(error: unknown): error is SqliteFailure {
  return error instanceof Error && 'errcode' in error && 'errstr' in error;
}

/** Runs work, and replaces an error of SQLite by the module's own. */
export function withErrors<Result>(
  make: (failure: SqliteFailure) => Error,
  work: () => Result,
): Result {
  try {
    return work();
  } catch (error) {
    throw isSqliteFailure(error) ? make(error) : error;
  }
}

/** An option of a plugin's object, or `undefined`. */
export function read(options: unknown, name: string): unknown {
  return typeof options === 'object' && options !== null ? Reflect.get(options, name) : undefined;
}

/** Whether a parameter is an object of named parameters. */
export function isNamed(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !ArrayBuffer.isView(value) &&
    !(value instanceof ArrayBuffer) &&
    !Array.isArray(value)
  );
}
