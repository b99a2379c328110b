import type { SqliteConnection, SqliteFailure } from '../endowments/sqlite/connection.js';
import { Buffer } from './buffer.js';
import { offer, refusal } from './denied.js';
import { toPath } from './fs-arguments.js';
import { linkedSqlite, read, withErrors } from './linked-sqlite.js';
import { codeName } from './sqlite-codes.js';
import { Statement } from './sqlite-bun-statement.js';

/** Bun's error of SQLite. */
export class SQLiteError extends Error {
  readonly errno: number;
  readonly code: string;
  readonly byteOffset: number;

  constructor({ message, errcode, offset }: SqliteFailure) {
    super(message);
    this.errno = errcode;
    this.code = codeName(errcode);
    this.byteOffset = offset;
  }

  override get name(): string {
    return 'SQLiteError';
  }
}

const constants = {
  SQLITE_OPEN_READONLY: 1,
  SQLITE_OPEN_READWRITE: 2,
  SQLITE_OPEN_CREATE: 4,
  SQLITE_OPEN_URI: 0x40,
  SQLITE_OPEN_MEMORY: 0x80,
  SQLITE_OPEN_NOMUTEX: 0x8000,
  SQLITE_OPEN_FULLMUTEX: 0x10000,
  SQLITE_PREPARE_PERSISTENT: 1,
  SQLITE_PREPARE_NORMALIZE: 2,
  SQLITE_PREPARE_NO_VTAB: 4,
};

/** Bun allows `"text"` as text in statements. */
const DOUBLE_QUOTED_TEXT = 1013;

function modeOf(options: unknown): { readonly readOnly: boolean; readonly create: boolean } {
  if (typeof options === 'number') {
    return {
      readOnly: (options & constants.SQLITE_OPEN_READWRITE) === 0,
      create: (options & constants.SQLITE_OPEN_CREATE) !== 0,
    };
  }
  const isSet = (name: string): boolean => Boolean(read(options, name));
  const names = ['readonly', 'create', 'readwrite'];
  return {
    readOnly: isSet('readonly') && !isSet('readwrite') && !isSet('create'),
    create: isSet('create') || !names.some(isSet),
  };
}

function withBunErrors<Result>(work: () => Result): Result {
  return withErrors((failure) => new SQLiteError(failure), work);
}

type Work = (this: unknown, ...args: unknown[]) => unknown;

/** `Database` of `bun:sqlite`. */
export class Database {
  readonly filename: string;
  readonly #connection: SqliteConnection;
  readonly #queries = new Map<string, Statement>();
  readonly #strict: boolean;
  readonly #longs: boolean;
  #isClosed = false;

  constructor(filename?: unknown, options?: unknown) {
    this.#strict = Boolean(read(options, 'strict'));
    this.#longs = Boolean(read(options, 'safeIntegers'));
    const isContent = filename instanceof Uint8Array;
    const name = typeof filename === 'string' && filename !== '' ? filename : ':memory:';
    const isMemory = name === ':memory:';
    const { readOnly, create } = modeOf(options);
    if (isMemory && readOnly && !isContent) {
      throw new Error('Cannot open an anonymous database in read-only mode.');
    }
    this.filename = name;
    this.#connection = this.#run(() =>
      linkedSqlite('bun:sqlite').open(isMemory ? undefined : toPath(name), readOnly, create),
    );
    this.#connection.configure(DOUBLE_QUOTED_TEXT, true);
    if (isContent) this.#run(() => this.#connection.deserialize(filename, readOnly));
  }

  static open(filename?: unknown, options?: unknown): Database {
    return new Database(filename, options);
  }

  static deserialize(content: Uint8Array, options?: unknown): Database {
    return new Database(content, typeof options === 'boolean' ? { readonly: options } : options);
  }

  static setCustomSQLite(): never {
    throw refusal('bun:sqlite', 'setCustomSQLite');
  }

  #run<Result>(work: () => Result): Result {
    if (this.#isClosed) throw new Error('Database has closed');
    return withBunErrors(work);
  }

  get inTransaction(): boolean {
    return this.#run(() => this.#connection.inTransaction());
  }

  get handle(): number {
    return this.#isClosed ? -1 : 0;
  }

  prepare(sql: string, ...params: unknown[]): Statement {
    if (this.#isClosed) throw new RangeError('Cannot use a closed database');
    const made = new Statement(this.#connection, sql, {
      strict: this.#strict,
      longs: this.#longs,
      run: (work) => this.#run(work),
      end: withBunErrors,
    });
    if (params.length === 0) return made;
    try {
      return made.bindAll(params);
    } catch (error) {
      made.finalize();
      throw error;
    }
  }

  /** Each text is compiled once. */
  query(sql: string): Statement {
    const known = this.#queries.get(sql);
    if (known !== undefined && !known.isFinalized) return known;
    const made = this.prepare(sql);
    this.#queries.set(sql, made);
    return made;
  }

  /** Runs all statements of the text, each with the parameters. */
  run(sql: string, ...params: unknown[]): { changes: number; lastInsertRowid: number | bigint } {
    if (sql === '') throw new Error("SQL string mustn't be blank");
    const connection = this.#connection;
    let changes = 0;
    let isEmpty = true;
    for (let rest = sql; rest !== '';) {
      const next = this.#run(() => connection.prepare(rest));
      next.statement?.finalize();
      if (next.statement !== undefined) {
        const statement = this.prepare(rest, ...params);
        try {
          changes += statement.exhaust();
        } finally {
          statement.finalize();
        }
        isEmpty = false;
      }
      rest = next.rest;
    }
    if (isEmpty) {
      throw new Error('Query contained no valid SQL statement; likely empty query.');
    }
    const last = connection.lastInsertRowid();
    return { changes, lastInsertRowid: this.#longs ? last : Number(last) };
  }

  exec(sql: string, ...params: unknown[]): unknown {
    return this.run(sql, ...params);
  }

  /** A function that runs `work` in a transaction; inside of one, in a savepoint. */
  transaction(work: Work): unknown {
    if (typeof work !== 'function') throw new TypeError('Expected first argument to be a function');
    const wrap = (begin: string): Work => {
      const run = (task: () => unknown): unknown => this.#inTransaction(begin, task);
      return function wrapped(this: unknown, ...args: unknown[]) {
        return run(() => Reflect.apply(work, this, args));
      };
    };
    return Object.defineProperties(wrap('BEGIN'), {
      default: { value: wrap('BEGIN') },
      deferred: { value: wrap('BEGIN DEFERRED') },
      immediate: { value: wrap('BEGIN IMMEDIATE') },
      exclusive: { value: wrap('BEGIN EXCLUSIVE') },
      database: { value: this, enumerable: true },
    });
  }

  #inTransaction(begin: string, work: () => unknown): unknown {
    const isNested = this.inTransaction;
    const [before, after, undo] = isNested
      ? [SAVEPOINT, `RELEASE ${MARK}`, `ROLLBACK TO ${MARK}`]
      : [begin, 'COMMIT', 'ROLLBACK'];
    this.run(before);
    const rollBack = (): void => {
      // Some errors have ended the transaction.
      if (!this.inTransaction) return;
      this.run(undo);
      if (isNested) this.run(after);
    };
    const commit = (): void => {
      try {
        this.run(after);
      } catch (error) {
        rollBack();
        throw error;
      }
    };
    let result: unknown;
    try {
      result = work();
    } catch (error) {
      rollBack();
      throw error;
    }
    if (!(result instanceof Promise)) {
      commit();
      return result;
    }
    return result.then(
      (value: unknown) => {
        commit();
        return value;
      },
      (error: unknown) => {
        rollBack();
        throw error;
      },
    );
  }

  serialize(name = 'main'): Uint8Array {
    return Buffer.from(this.#run(() => this.#connection.serialize(name)));
  }

  close(_throwOnError?: boolean): void {
    if (this.#isClosed) return;
    try {
      this.#run(() => this.#connection.close());
    } finally {
      this.#isClosed = !this.#connection.isOpen();
    }
  }

  loadExtension(): never {
    throw refusal('bun:sqlite', 'Database.loadExtension');
  }

  fileControl(): number {
    return 0;
  }
}

const MARK = '`\t_bun_internal\t`';
const SAVEPOINT = `SAVEPOINT ${MARK}`;

for (const owner of [Database, Statement]) {
  const dispose: unknown = Reflect.get(Symbol, 'dispose');
  if (typeof dispose !== 'symbol') continue;
  Object.defineProperty(owner.prototype, dispose, {
    value(this: Database | Statement) {
      if (this instanceof Database) this.close();
      else this.finalize();
    },
  });
}

/** `bun:sqlite`: databases in the plugin's storage. */
export const builtin: object = offer('bun:sqlite', {
  Database,
  Statement,
  SQLiteError,
  constants,
  default: Database,
  // The default export is `Database`, also for importers that use this object.
  __esModule: true,
});
