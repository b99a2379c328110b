import { copyBytes } from '../bytes.js';
import type { SqliteEngine } from './engine.js';

/** A value of SQL. Blobs are copies with a buffer of their own. */
export type SqlValue = null | number | bigint | string | Uint8Array;

const INTEGER = 1;
const FLOAT = 2;
const TEXT = 3;
const BLOB = 4;
/** SQLite copies the value. */
const TRANSIENT = -1;
const MISMATCH = 20;

/** Binds a value. A number is a REAL, a bigint an INTEGER. Returns SQLite's result. */
export function bindValue(
  engine: SqliteEngine,
  statement: number,
  index: number,
  value: unknown,
): number {
  if (value === null) return engine.call('sqlite3_bind_null', statement, index);
  if (typeof value === 'number') {
    return engine.call('sqlite3_bind_double', statement, index, value);
  }
  if (typeof value === 'bigint') {
    return engine.call('sqlite3_bind_int64', statement, index, BigInt.asIntN(64, value));
  }
  if (typeof value === 'string') {
    return engine.withText(value, (text, length) =>
      engine.call('sqlite3_bind_text', statement, index, text, length, TRANSIENT),
    );
  }
  const bytes = copyBytes(value);
  if (bytes === undefined) return MISMATCH;
  if (bytes.length === 0) return engine.call('sqlite3_bind_zeroblob', statement, index, 0);
  const pointer = engine.give(bytes);
  try {
    return engine.call('sqlite3_bind_blob', statement, index, pointer, bytes.length, TRANSIENT);
  } finally {
    engine.free(pointer);
  }
}

/** The value of a column of the current row. */
export function columnValue(
  engine: SqliteEngine,
  statement: number,
  index: number,
  longs: boolean,
): SqlValue {
  switch (engine.call('sqlite3_column_type', statement, index)) {
    case INTEGER:
      return integerOf(engine.callLong('sqlite3_column_int64', statement, index), longs);
    case FLOAT:
      return engine.call('sqlite3_column_double', statement, index);
    case TEXT: {
      const text = engine.call('sqlite3_column_text', statement, index);
      return engine.text(text, engine.call('sqlite3_column_bytes', statement, index));
    }
    case BLOB: {
      const blob = engine.call('sqlite3_column_blob', statement, index);
      return engine.bytes(blob, engine.call('sqlite3_column_bytes', statement, index));
    }
    default:
      return null;
  }
}

/** An argument of a function of SQL. */
export function argumentValue(engine: SqliteEngine, value: number, longs: boolean): SqlValue {
  switch (engine.call('sqlite3_value_type', value)) {
    case INTEGER:
      return integerOf(engine.callLong('sqlite3_value_int64', value), longs);
    case FLOAT:
      return engine.call('sqlite3_value_double', value);
    case TEXT: {
      const text = engine.call('sqlite3_value_text', value);
      return engine.text(text, engine.call('sqlite3_value_bytes', value));
    }
    case BLOB: {
      const blob = engine.call('sqlite3_value_blob', value);
      return engine.bytes(blob, engine.call('sqlite3_value_bytes', value));
    }
    default:
      return null;
  }
}

/** Sets the result of a function of SQL. A value that SQL does not have is an error of SQL. */
export function setResult(engine: SqliteEngine, context: number, value: unknown): void {
  if (value === null || value === undefined) {
    engine.call('sqlite3_result_null', context);
  } else if (typeof value === 'number') {
    engine.call('sqlite3_result_double', context, value);
  } else if (typeof value === 'bigint') {
    engine.call('sqlite3_result_int64', context, BigInt.asIntN(64, value));
  } else if (typeof value === 'string') {
    engine.withText(value, (text, length) =>
      engine.call('sqlite3_result_text', context, text, length, TRANSIENT),
    );
  } else {
    const bytes = copyBytes(value);
    if (bytes === undefined) return setError(engine, context, NO_SQL_VALUE);
    const pointer = engine.give(bytes);
    engine.call('sqlite3_result_blob', context, pointer, bytes.length, TRANSIENT);
    engine.free(pointer);
  }
}

const NO_SQL_VALUE = 'Returned JavaScript value cannot be converted to a SQLite value';

/** Ends a function of SQL with an error. */
export function setError(engine: SqliteEngine, context: number, message: string): void {
  engine.withText(message, (text, length) =>
    engine.call('sqlite3_result_error', context, text, length),
  );
}

function integerOf(value: bigint, longs: boolean): number | bigint {
  return !longs && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
