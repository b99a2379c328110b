import { copyBytes } from '../bytes.js';
import { withCode } from '../errors.js';
import { denialOf } from '../files/faults.js';
import type { SqliteEngine } from './engine.js';
import { makeFunctions, type SqlFunctions } from './functions.js';
import { bindValue, columnValue, type SqlValue } from './values.js';
import type { Vfs } from './vfs.js';

const OK = 0;
const ROW = 100;
const DONE = 101;
const OPEN_READ_ONLY = 0x1;
const OPEN_READ_WRITE = 0x2;
const OPEN_CREATE = 0x4;
const EXTENDED_CODES = 0x2000000;
/** The statement is used often. */
const PREPARE_PERSISTENT = 1;
const DESERIALIZE_FLAGS = { freeOnClose: 1, resizable: 2, readOnly: 4 };

/** The codes of refusals that the plugin gets as they are, with their remedy. */
const DENIALS: ReadonlySet<unknown> = new Set([
  'STORAGE_DENIED',
  'PERMISSION_REVOKED',
  'EFFECT_DENIED',
]);

/** An error of SQLite, with its numbers. The modules make Bun's and Node's errors of it. */
export interface SqliteFailure extends Error {
  /** The extended result code. */
  readonly errcode: number;
  /** SQLite's words for the code. */
  readonly errstr: string;
  /** The place in the statement, in bytes, or -1. */
  readonly offset: number;
}

/** One open database, for the modules inside the compartment. All values are copies. */
export interface SqliteConnection {
  /** Compiles the first statement of the text. `rest` is the text after it. */
  prepare(sql: string): { readonly statement: SqliteStatement | undefined; readonly rest: string };
  /** Throws if a statement whose run it ends cannot be committed. The database is closed nevertheless. */
  close(): void;
  isOpen(): boolean;
  changes(): number;
  totalChanges(): number;
  lastInsertRowid(): bigint;
  inTransaction(): boolean;
  isReadOnly(): boolean;
  /** The file of an attached database. `''` for a database in memory. */
  location(name: string): string;
  serialize(name: string): Uint8Array;
  deserialize(content: unknown, readOnly: boolean): void;
  defineFunction(name: string, count: number, flags: number, run: unknown, longs: boolean): void;
  /** Sets a `SQLITE_DBCONFIG_…` of the connection. */
  configure(option: number, on: boolean): void;
}

export interface SqliteStatement {
  readonly columns: readonly string[];
  /** `null` for a parameter without a name. */
  readonly parameters: readonly (string | null)[];
  readonly isReadOnly: boolean;
  /** Parameters count from 1. */
  bind(index: number, value: unknown): void;
  /** Whether there is a row. */
  step(): boolean;
  /** The values of the row. Integers are bigints if `longs`, or if a number would not be exact. */
  row(longs: boolean): readonly SqlValue[];
  /**
   * Ends the run. A run that is not at its end is committed now: throws if that fails. The error of a
   * failed step is not repeated. Does nothing after the statement or its database was closed.
   */
  reset(): void;
  clear(): void;
  /** Of each column: database, table, column and declared type; `null` for an expression. */
  origins(): readonly (readonly (string | null)[])[];
  expanded(): string;
  /** Ends the run like `reset`, and the statement in any case. */
  finalize(): void;
}

export interface OpenOptions {
  readonly readOnly: boolean;
  readonly create: boolean;
}

/** Opens a database; in memory if there is no path. */
export function openConnection(
  engine: SqliteEngine,
  vfs: Vfs,
  path: string | undefined,
  options: OpenOptions,
): SqliteConnection {
  const mode = options.readOnly
    ? OPEN_READ_ONLY
    : OPEN_READ_WRITE | (options.create ? OPEN_CREATE : 0);
  // Not the flag for a database in memory: attached databases would inherit it.
  const openFlags = (path === undefined ? OPEN_READ_WRITE | OPEN_CREATE : mode) | EXTENDED_CODES;
  vfs.takeFault();
  let db = withPointer(engine, (target) => {
    const result = engine.withText(path ?? ':memory:', (name) =>
      engine.call('sqlite3_open_v2', name, target, openFlags, 0),
    );
    const opened = engine.pointerAt(target);
    if (result === OK) return opened;
    const failure = failureOf(opened);
    engine.call('sqlite3_close_v2', opened);
    throw failure;
  });
  /** The open statements, and whether the last step of each failed. */
  const statements = new Map<number, boolean>();
  const functions: SqlFunctions = makeFunctions(engine);

  function failureOf(handle: number): Error {
    const fault = vfs.takeFault();
    const denial = denialOf(fault) ?? (fault && String(Reflect.get(fault, 'code')));
    if (fault !== undefined && denial !== undefined && DENIALS.has(denial)) {
      return withCode(fault, denial);
    }
    const errcode = engine.call('sqlite3_extended_errcode', handle);
    const message = engine.string(engine.call('sqlite3_errmsg', handle));
    const offset = engine.call('sqlite3_error_offset', handle);
    return makeFailure(
      fault === undefined || fault.message.startsWith('ENOENT:')
        ? message
        : `${message}: ${fault.message}`,
      errcode,
      engine.string(engine.call('sqlite3_errstr', errcode)),
      offset,
    );
  }
  const opened = (): number => {
    if (db === 0)
      throw makeFailure('database is not open', 21, 'bad parameter or other API misuse');
    return db;
  };
  /** Throws what plugin code threw inside, or SQLite's error. */
  const check = (result: number, handle = opened()): void => {
    const thrown = functions.takeThrown();
    if (result === OK || result === ROW || result === DONE) return;
    throw thrown === undefined ? failureOf(handle) : thrown.error;
  };
  const demandIdle = (): void => {
    if (!functions.isRunning) return;
    throw makeFailure('database connection is busy', 5, 'database is locked');
  };

  /** Ends a run. SQLite's result repeats the error of the last step, which was thrown already. */
  const end = (how: 'sqlite3_reset' | 'sqlite3_finalize', statement: number): void => {
    const isKnown = statements.get(statement) === true;
    statements.set(statement, false);
    if (!isKnown) vfs.takeFault();
    const result = engine.call(how, statement);
    if (!isKnown) check(result);
  };

  const makeStatement = (pointer: number): SqliteStatement => {
    let statement = pointer;
    statements.set(pointer, false);
    const live = (): number => {
      opened();
      if (statement === 0 || !statements.has(statement)) {
        throw makeFailure('statement has been finalized', 21, 'bad parameter or other API misuse');
      }
      return statement;
    };
    const count = (name: string): number => engine.call(name, live());
    const nameOrNull = (name: string, index: number): string | null => {
      const found = engine.call(name, live(), index);
      return found === 0 ? null : engine.string(found);
    };
    const names = (): readonly string[] =>
      Array.from({ length: count('sqlite3_column_count') }, (_, index) =>
        engine.string(engine.call('sqlite3_column_name', live(), index)),
      );
    const parameters = Array.from({ length: count('sqlite3_bind_parameter_count') }, (_, index) =>
      nameOrNull('sqlite3_bind_parameter_name', index + 1),
    );
    return Object.freeze({
      get columns() {
        return names();
      },
      parameters,
      isReadOnly: engine.call('sqlite3_stmt_readonly', pointer) !== 0,
      bind: (index: number, value: unknown) =>
        check(bindValue(engine, live(), Number(index), value)),
      step: () => {
        const at = live();
        vfs.takeFault();
        const result = engine.call('sqlite3_step', at);
        statements.set(at, result !== ROW && result !== DONE);
        check(result);
        return result === ROW;
      },
      row: (longs: boolean) => {
        const at = live();
        const length = engine.call('sqlite3_data_count', at);
        return Array.from({ length }, (_, index) => columnValue(engine, at, index, longs));
      },
      reset: () => {
        if (db === 0 || !statements.has(statement)) return;
        end('sqlite3_reset', statement);
      },
      clear: () => void engine.call('sqlite3_clear_bindings', live()),
      origins: () =>
        Array.from({ length: count('sqlite3_column_count') }, (_, index) =>
          ['database_name', 'table_name', 'origin_name', 'decltype'].map((name) =>
            nameOrNull(`sqlite3_column_${name}`, index),
          ),
        ),
      expanded: () => {
        const text = engine.call('sqlite3_expanded_sql', live());
        const sql = engine.string(text);
        engine.free(text);
        return sql;
      },
      finalize: () => {
        demandIdle();
        const ended = statement;
        statement = 0;
        if (db === 0 || !statements.has(ended)) return;
        try {
          end('sqlite3_finalize', ended);
        } finally {
          statements.delete(ended);
        }
      },
    });
  };

  engine.call('sqlite3_set_authorizer', db, vfs.authorizer, 0);
  engine.call('sqlite3_busy_handler', db, vfs.busyHandler, 0);
  // As in Bun and Node. It has no effect on a database that has tables.
  engine.withText('PRAGMA page_size=4096', (text) =>
    engine.call('sqlite3_exec', db, text, 0, 0, 0),
  );
  return Object.freeze({
    prepare: (sql: string) => {
      const handle = opened();
      vfs.takeFault();
      return engine.withText(String(sql), (text, length) =>
        withPointer(engine, (target) =>
          withPointer(engine, (rest) => {
            const result = engine.call(
              'sqlite3_prepare_v3',
              handle,
              text,
              length + 1,
              PREPARE_PERSISTENT,
              target,
              rest,
            );
            check(result);
            const pointer = engine.pointerAt(target);
            return {
              statement: pointer === 0 ? undefined : makeStatement(pointer),
              rest: engine.string(engine.pointerAt(rest)),
            };
          }),
        ),
      );
    },
    close: () => {
      demandIdle();
      if (db === 0) return;
      let failure: { readonly error: unknown } | undefined;
      for (const pointer of statements.keys()) {
        try {
          end('sqlite3_finalize', pointer);
        } catch (error) {
          failure ??= { error };
        }
      }
      statements.clear();
      const closing = db;
      db = 0;
      engine.call('sqlite3_close_v2', closing);
      functions.clear();
      if (failure !== undefined) throw failure.error;
    },
    isOpen: () => db !== 0,
    changes: () => engine.call('sqlite3_changes', opened()),
    totalChanges: () => engine.call('sqlite3_total_changes', opened()),
    lastInsertRowid: () => engine.callLong('sqlite3_last_insert_rowid', opened()),
    inTransaction: () => engine.call('sqlite3_get_autocommit', opened()) === 0,
    isReadOnly: () =>
      engine.withText('main', (name) => engine.call('sqlite3_db_readonly', opened(), name)) === 1,
    location: (name: string) =>
      engine.withText(String(name), (text) =>
        engine.string(engine.call('sqlite3_db_filename', opened(), text)),
      ),
    serialize: (name: string) => {
      const handle = opened();
      vfs.takeFault();
      return engine.withText(String(name), (text) =>
        withPointer(engine, (size) => {
          const content = engine.call('sqlite3_serialize', handle, text, size, 0);
          const length = Number(engine.view.getBigInt64(size, true));
          if (content === 0 && length > 0) throw failureOf(handle);
          const bytes = engine.bytes(content, Math.max(length, 0));
          engine.free(content);
          return bytes;
        }),
      );
    },
    deserialize: (content: unknown, readOnly: boolean) => {
      const bytes = copyBytes(content);
      if (bytes === undefined) throw new TypeError('A serialized database is bytes');
      const { freeOnClose, resizable } = DESERIALIZE_FLAGS;
      const flags = freeOnClose | (readOnly ? DESERIALIZE_FLAGS.readOnly : resizable);
      const pointer = engine.give(bytes);
      const size = BigInt(bytes.length);
      check(
        engine.withText('main', (name) =>
          engine.call('sqlite3_deserialize', opened(), name, pointer, size, size, flags),
        ),
      );
    },
    configure: (option: number, on: boolean) =>
      check(engine.call('sqlite3__wasm_db_config_ip', opened(), Number(option), on ? 1 : 0, 0)),
    defineFunction: (name: string, count: number, flags: number, run: unknown, longs: boolean) => {
      if (typeof run !== 'function') throw new TypeError('A function of SQL is a function');
      const id = functions.add((values) => Reflect.apply(run, undefined, values), longs);
      check(
        engine.withText(String(name), (text) =>
          engine.call(
            'sqlite3_create_function_v2',
            opened(),
            text,
            Number(count),
            Number(flags),
            id,
            functions.entry,
            0,
            0,
            0,
          ),
        ),
      );
    },
  });
}

function makeFailure(message: string, errcode: number, errstr: string, offset = -1): SqliteFailure {
  return Object.assign(new Error(message), { errcode, errstr, offset });
}

/** Runs work with eight zero bytes of memory for a result. */
function withPointer<Result>(engine: SqliteEngine, work: (target: number) => Result): Result {
  const target = engine.allocate(8);
  engine.view.setBigInt64(target, 0n, true);
  try {
    return work(target);
  } finally {
    engine.free(target);
  }
}
