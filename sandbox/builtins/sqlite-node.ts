import type { SqliteConnection } from '../endowments/sqlite/connection.js';
import { offer, refusal } from './denied.js';
import { toPath } from './fs-arguments.js';
import { linkedSqlite, read, withErrors } from './linked-sqlite.js';
import { demand, invalidState, nodeError, sqliteError } from './sqlite-node-errors.js';
import { type StatementOptions, StatementSync } from './sqlite-node-statement.js';

/** Settings of a connection. */
const FOREIGN_KEYS = 1002;
const DEFENSIVE = 1010;
const DOUBLE_QUOTED = [1013, 1014];

const DETERMINISTIC = 0x800;
const DIRECT_ONLY = 0x80000;
const UTF8 = 1;

/** `DatabaseSync` of `node:sqlite`. */
export class DatabaseSync {
  readonly #path: string | undefined;
  readonly #options: unknown;
  #connection: SqliteConnection | undefined;

  constructor(path: unknown, options?: unknown) {
    demand(isPath(path), 'path', 'a string, Uint8Array, or URL without null bytes');
    demand(
      options === undefined || (typeof options === 'object' && options !== null),
      'options',
      'an object',
    );
    for (const name of FLAGS) {
      const value = read(options, name);
      demand(value === undefined || typeof value === 'boolean', `options.${name}`, 'a boolean');
    }
    if (read(options, 'allowExtension') === true) {
      throw refusal('node:sqlite', 'DatabaseSync.loadExtension');
    }
    const isInMemory = path === ':memory:' || path === '';
    this.#path = isInMemory ? undefined : toPath(path);
    this.#options = options;
    if (read(options, 'open') !== false) this.open();
  }

  get isOpen(): boolean {
    return this.#connection !== undefined;
  }

  get isTransaction(): boolean {
    return this.#opened().inTransaction();
  }

  #opened(): SqliteConnection {
    if (this.#connection === undefined) throw invalidState('database is not open');
    return this.#connection;
  }

  #run<Result>(work: (connection: SqliteConnection) => Result): Result {
    const connection = this.#opened();
    return withErrors(sqliteError, () => work(connection));
  }

  open(): void {
    if (this.#connection !== undefined) throw invalidState('database is already open');
    const isSet = (name: string, otherwise: boolean): boolean => {
      const value = read(this.#options, name);
      return typeof value === 'boolean' ? value : otherwise;
    };
    const isReadOnly = isSet('readOnly', false);
    const connection = withErrors(sqliteError, () =>
      linkedSqlite('node:sqlite').open(this.#path, isReadOnly, !isReadOnly),
    );
    this.#connection = connection;
    connection.configure(FOREIGN_KEYS, isSet('enableForeignKeyConstraints', true));
    connection.configure(DEFENSIVE, isSet('defensive', true));
    for (const option of DOUBLE_QUOTED) {
      connection.configure(option, isSet('enableDoubleQuotedStringLiterals', false));
    }
  }

  close(): void {
    const connection = this.#opened();
    try {
      this.#run(() => connection.close());
    } finally {
      if (!connection.isOpen()) this.#connection = undefined;
    }
  }

  exec(sql: unknown): void {
    demand(typeof sql === 'string', 'sql', 'a string');
    this.#run((connection) => {
      for (let rest = String(sql); rest !== '';) {
        const prepared = connection.prepare(rest);
        rest = prepared.rest;
        try {
          while (prepared.statement?.step() === true);
        } finally {
          prepared.statement?.finalize();
        }
      }
    });
  }

  prepare(sql: unknown, options?: unknown): StatementSync {
    const connection = this.#opened();
    demand(typeof sql === 'string', 'sql', 'a string');
    return new StatementSync({
      connection,
      sql,
      run: <Result>(work: () => Result): Result => {
        if (this.#connection !== connection) throw invalidState('statement has been finalized');
        return withErrors(sqliteError, work);
      },
      ...statementOptions(this.#options, options),
    });
  }

  /** Makes a function of the plugin available to SQL. */
  function(name: unknown, ...rest: unknown[]): void {
    const run = rest.at(-1);
    const options = rest.length > 1 ? rest[0] : undefined;
    demand(typeof name === 'string', 'name', 'a string');
    demand(typeof run === 'function', 'function', 'a function');
    const isSet = (option: string): boolean => read(options, option) === true;
    const count = isSet('varargs') || typeof run !== 'function' ? -1 : run.length;
    const flags =
      UTF8 | (isSet('deterministic') ? DETERMINISTIC : 0) | (isSet('directOnly') ? DIRECT_ONLY : 0);
    this.#run((connection) =>
      connection.defineFunction(
        String(name),
        count,
        flags,
        (...values: unknown[]) => toResult(typeof run === 'function' ? run(...values) : null),
        isSet('useBigIntArguments'),
      ),
    );
  }

  location(name = 'main'): string | null {
    return this.#run((connection) => connection.location(name)) || null;
  }

  enableLoadExtension(on: unknown): void {
    demand(typeof on === 'boolean', 'allow', 'a boolean');
    if (on === true) {
      throw invalidState(
        'Cannot enable extension loading because it was disabled at database creation.',
      );
    }
  }

  loadExtension(): never {
    throw invalidState('extension loading is not allowed');
  }

  enableDefensive(on: unknown): void {
    demand(typeof on === 'boolean', 'active', 'a boolean');
    this.#run((connection) => connection.configure(DEFENSIVE, on === true));
  }
}

const FLAGS = [
  'open',
  'readOnly',
  'enableForeignKeyConstraints',
  'enableDoubleQuotedStringLiterals',
  'allowExtension',
  'readBigInts',
  'returnArrays',
  'allowBareNamedParameters',
  'allowUnknownNamedParameters',
  'defensive',
];

/** A statement's own options, else those of its database. */
function statementOptions(database: unknown, own: unknown): StatementOptions {
  const isSet = (name: keyof StatementOptions, otherwise: boolean): boolean => {
    const value = read(own, name) ?? read(database, name);
    return typeof value === 'boolean' ? value : otherwise;
  };
  return {
    readBigInts: isSet('readBigInts', false),
    returnArrays: isSet('returnArrays', false),
    allowBareNamedParameters: isSet('allowBareNamedParameters', true),
    allowUnknownNamedParameters: isSet('allowUnknownNamedParameters', false),
  };
}

function isPath(path: unknown): boolean {
  if (typeof path === 'string') return !path.includes('\0');
  return path instanceof Uint8Array || typeof read(path, 'href') === 'string';
}

/** Integers of SQL are bigints here, so that `2` stays an integer. */
function toResult(value: unknown): unknown {
  if (value instanceof Promise) {
    throw nodeError(
      new Error('Asynchronous user-defined functions are not supported'),
      'ERR_SQLITE_ERROR',
    );
  }
  return value;
}

const dispose: unknown = Reflect.get(Symbol, 'dispose');
if (typeof dispose === 'symbol') {
  Object.defineProperty(DatabaseSync.prototype, dispose, {
    value(this: DatabaseSync) {
      if (this.isOpen) this.close();
    },
  });
}

/** `node:sqlite`: databases in the plugin's storage. */
export const builtin: object = offer('node:sqlite', {
  DatabaseSync,
  StatementSync,
  constants: {},
});
