import type { SqliteFailure } from '../endowments/sqlite/connection.js';

/** An error with Node's code. */
export function nodeError<Fault extends Error>(error: Fault, code: string): Fault {
  return Object.assign(error, { code });
}

export function invalidState(message: string): Error {
  return nodeError(new Error(message), 'ERR_INVALID_STATE');
}

/** Node's form of an error of SQLite. */
export function sqliteError({ message, errcode, errstr }: SqliteFailure): Error {
  return Object.assign(nodeError(new Error(message), 'ERR_SQLITE_ERROR'), { errcode, errstr });
}

/** Throws for an argument of the wrong type. */
export function demand(isRight: boolean, name: string, type: string): void {
  if (isRight) return;
  throw nodeError(new TypeError(`The "${name}" argument must be ${type}.`), 'ERR_INVALID_ARG_TYPE');
}
