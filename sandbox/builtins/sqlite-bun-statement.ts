import type { SqliteConnection, SqliteStatement } from '../endowments/sqlite/connection.js';
import type { SqlValue } from '../endowments/sqlite/values.js';
import { always } from './compartment-globals.js';
import { isNamed } from './linked-sqlite.js';

export interface StatementSpec {
  /** Whether names are written without their prefix, and each parameter needs a value. */
  readonly strict: boolean;
  /** Whether integers are bigints. */
  readonly longs: boolean;
  /** Runs work with Bun's errors, while the database is open. */
  readonly run: <Result>(work: () => Result) => Result;
  /** The same, also after the database was closed. */
  readonly end: (work: () => void) => void;
}

type Row = Record<string, SqlValue>;

/** `Statement` of `bun:sqlite`. */
export class Statement {
  readonly #connection: SqliteConnection;
  readonly #spec: StatementSpec;
  readonly #sql: string;
  readonly #compiled: SqliteStatement;
  #longs: boolean;
  #prototype: object = Object.prototype;
  isFinalized = false;
  /** The text after the statement. */
  readonly rest: string;

  constructor(connection: SqliteConnection, sql: string, spec: StatementSpec) {
    if (typeof sql !== 'string') throw new TypeError('Expected SQL string');
    this.#connection = connection;
    this.#spec = spec;
    this.#sql = sql;
    this.#longs = spec.longs;
    if (sql === '') throw new Error('SQL query cannot be empty.');
    const { statement, rest } = spec.run(() => connection.prepare(sql));
    if (statement === undefined) throw new RangeError('Invalid SQL statement');
    this.#compiled = statement;
    this.rest = rest;
    for (const internal of ['isFinalized', 'rest']) {
      Object.defineProperty(this, internal, { enumerable: false, writable: true });
    }
  }

  get native(): null {
    return null;
  }

  get columnNames(): string[] {
    return [...this.#live().columns];
  }

  get paramsCount(): number {
    return this.#live().parameters.length;
  }

  /** The declared type of each column. */
  get declaredTypes(): (string | null)[] {
    return this.#live()
      .origins()
      .map((origin) => origin[3] ?? null);
  }

  #live(): SqliteStatement {
    if (this.isFinalized) throw new Error('Statement has finalized');
    return this.#spec.run(() => this.#compiled);
  }

  /** Binds parameters, which stay for later runs. */
  bindAll(params: readonly unknown[]): this {
    const statement = this.#live();
    const [first] = params;
    this.#spec.run(() => {
      statement.reset();
      statement.clear();
      if (params.length === 1 && isPlain(first)) this.#bindNamed(statement, first);
      else
        this.#bindInOrder(statement, params.length === 1 && Array.isArray(first) ? first : params);
    });
    return this;
  }

  #bindInOrder(statement: SqliteStatement, values: readonly unknown[]): void {
    const count = statement.parameters.length;
    if (values.length !== count) {
      throw new Error(`SQLite query expected ${count} values, received ${values.length}`);
    }
    values.forEach((value, index) => statement.bind(index + 1, toSql(value)));
  }

  #bindNamed(statement: SqliteStatement, values: object): void {
    const { strict } = this.#spec;
    statement.parameters.forEach((name, index) => {
      const full = name ?? String(index);
      const bare = name === null ? full : name.slice(1);
      const key = (strict ? [bare, full] : [full, bare]).find((one) => one in values);
      if (strict && key === undefined) throw new Error(`Missing parameter "${bare}"`);
      statement.bind(index + 1, toSql(key === undefined ? null : Reflect.get(values, key)));
    });
  }

  /** Binds the parameters of a run, if there are any, and starts again. */
  #begin(params: readonly unknown[]): SqliteStatement {
    const statement = this.#live();
    if (params.length > 0) this.bindAll(params);
    else this.#spec.run(() => statement.reset());
    return statement;
  }

  #values(statement: SqliteStatement): SqlValue[] {
    const longs = this.#longs;
    return statement
      .row(longs)
      .map((value) => (typeof value === 'bigint' && !longs ? Number(value) : value));
  }

  #toRow(columns: readonly string[], values: readonly SqlValue[]): Row {
    const row: Row = Object.create(this.#prototype);
    columns.forEach((name, index) => {
      Object.defineProperty(row, name, {
        value: values[index] ?? null,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    });
    return row;
  }

  *#steps(params: readonly unknown[]): Generator<SqlValue[], undefined> {
    const statement = this.#begin(params);
    try {
      while (this.#spec.run(() => statement.step())) yield this.#values(statement);
    } finally {
      this.#spec.end(() => statement.reset());
    }
    return undefined;
  }

  get(...params: unknown[]): Row | null {
    const columns = this.columnNames;
    for (const values of this.#steps(params)) return this.#toRow(columns, values);
    return null;
  }

  all(...params: unknown[]): Row[] {
    const rows = [...this.#steps(params)];
    const columns = this.columnNames;
    return rows.map((values) => this.#toRow(columns, values));
  }

  values(...params: unknown[]): SqlValue[][] {
    return [...this.#steps(params)];
  }

  /** Rows as bytes: texts in UTF-8. */
  raw(...params: unknown[]): (Uint8Array | null)[][] {
    return this.values(...params).map((row) => row.map(toBytes));
  }

  *iterate(...params: unknown[]): Generator<Row, undefined> {
    const columns = this.columnNames;
    for (const values of this.#steps(params)) yield this.#toRow(columns, values);
    return undefined;
  }

  [Symbol.iterator](): Generator<Row, undefined> {
    return this.iterate();
  }

  run(...params: unknown[]): { changes: number; lastInsertRowid: number | bigint } {
    const changes = this.exhaust(...params);
    const last = this.#connection.lastInsertRowid();
    return {
      changes,
      lastInsertRowid: this.#longs ? last : Number(last),
    };
  }

  /** Runs to the end without rows. Returns the changed rows, without those of triggers. */
  exhaust(...params: unknown[]): number {
    const connection = this.#connection;
    const statement = this.#begin(params);
    const before = connection.totalChanges();
    try {
      while (this.#spec.run(() => statement.step()));
    } finally {
      this.#spec.end(() => statement.reset());
    }
    return connection.totalChanges() === before ? 0 : connection.changes();
  }

  /** Rows become objects of the class, whose constructor is not called. */
  as(Class: unknown): this {
    const prototype: unknown = typeof Class === 'function' ? Class.prototype : undefined;
    if (typeof prototype !== 'object' || prototype === null) {
      throw new TypeError('Expected class to be a constructor');
    }
    this.#prototype = prototype;
    return this;
  }

  /** Sets whether integers are bigints. Without an argument, answers it. */
  safeIntegers(on?: boolean): this | boolean {
    if (on === undefined) return this.#longs;
    this.#longs = on;
    return this;
  }

  finalize(): void {
    if (this.isFinalized) return;
    this.isFinalized = true;
    this.#spec.end(() => this.#compiled.finalize());
  }

  /** The statement with its parameters. */
  toString(): string {
    return this.isFinalized ? this.#sql : this.#compiled.expanded();
  }
}

function toSql(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') {
    const isInteger = Number.isInteger(value) && Math.abs(value) < MAX_INTEGER;
    return isInteger && !Object.is(value, -0) ? BigInt(value) : value;
  }
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return BigInt.asIntN(64, value);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value;
  throw new TypeError(`Binding expected string, TypedArray, boolean, number, bigint or null`);
}

/** Larger numbers are REAL in Bun. */
const MAX_INTEGER = 2 ** 51;

/** An integer has eight bytes, the lowest first. */
function toBytes(value: SqlValue): Uint8Array | null {
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === 'string') return new (always('TextEncoder'))().encode(value);
  const view = new DataView(new ArrayBuffer(8));
  if (typeof value === 'number' && !Number.isInteger(value)) view.setFloat64(0, value, true);
  else view.setBigInt64(0, BigInt(value), true);
  return new Uint8Array(view.buffer);
}

/** Whether a parameter has named parameters: not a date, for example. */
function isPlain(value: unknown): value is object {
  return isNamed(value) && Object.prototype.toString.call(value) === '[object Object]';
}
