import type { SqliteConnection, SqliteStatement } from '../endowments/sqlite/connection.js';
import type { SqlValue } from '../endowments/sqlite/values.js';
import { isNamed, withErrors } from './linked-sqlite.js';
import { demand, invalidState, nodeError, sqliteError } from './sqlite-node-errors.js';

export interface StatementOptions {
  readonly readBigInts: boolean;
  readonly returnArrays: boolean;
  readonly allowBareNamedParameters: boolean;
  readonly allowUnknownNamedParameters: boolean;
}

type Row = Record<string, SqlValue> | SqlValue[];

/** What a database gives its statements: Node's statements have no public constructor. */
export interface StatementSpec extends StatementOptions {
  readonly connection: SqliteConnection;
  readonly sql: string;
  /** Runs work with Node's errors, while the database is open. */
  readonly run: <Result>(work: () => Result) => Result;
}

/** `StatementSync` of `node:sqlite`. */
export class StatementSync {
  readonly #connection: SqliteConnection;
  readonly #statement: SqliteStatement;
  readonly #run: StatementSpec['run'];
  readonly #sql: string;
  #options: StatementOptions;

  constructor(spec?: unknown) {
    if (!isSpec(spec)) {
      throw nodeError(new Error('Illegal constructor'), 'ERR_ILLEGAL_CONSTRUCTOR');
    }
    const { connection, sql, run, ...options } = spec;
    const { statement, rest } = run(() => connection.prepare(sql));
    if (statement === undefined) {
      throw nodeError(
        new TypeError('The SQL query contains no statements.'),
        'ERR_INVALID_ARG_VALUE',
      );
    }
    this.#connection = connection;
    this.#statement = statement;
    this.#run = run;
    // The text of the first statement.
    this.#sql = sql.slice(0, sql.length - rest.length);
    this.#options = options;
  }

  get sourceSQL(): string {
    return this.#run(() => this.#sql);
  }

  get expandedSQL(): string {
    return this.#run(() => this.#statement.expanded());
  }

  setReadBigInts(on: unknown): void {
    this.#set('readBigInts', on);
  }

  setReturnArrays(on: unknown): void {
    this.#set('returnArrays', on);
  }

  setAllowBareNamedParameters(on: unknown): void {
    this.#set('allowBareNamedParameters', on);
  }

  setAllowUnknownNamedParameters(on: unknown): void {
    this.#set('allowUnknownNamedParameters', on);
  }

  #set(name: keyof StatementOptions, on: unknown): void {
    const argument = name === 'allowUnknownNamedParameters' ? 'enabled' : name;
    demand(typeof on === 'boolean', argument, 'a boolean');
    this.#options = { ...this.#options, [name]: on };
  }

  columns(): object[] {
    const origins = this.#run(() => this.#statement.origins());
    return origins.map(([database = null, table = null, column = null, type = null], index) =>
      Object.assign(Object.create(null), {
        column,
        database,
        name: this.#statement.columns[index] ?? '',
        table,
        type,
      }),
    );
  }

  #bind(params: readonly unknown[]): void {
    const statement = this.#statement;
    statement.reset();
    statement.clear();
    const [first, ...others] = params;
    const named = isNamed(first) || Array.isArray(first) ? first : undefined;
    if (named !== undefined) this.#bindNamed(named);
    const values = named === undefined ? params : others;
    const free = statement.parameters.flatMap((name, index) =>
      named === undefined || name === null ? [index + 1] : [],
    );
    values.forEach((value, index) => {
      const at = free[index] ?? statement.parameters.length + 1;
      statement.bind(at, toSql(value, at));
    });
  }

  #bindNamed(values: object): void {
    const { allowBareNamedParameters, allowUnknownNamedParameters } = this.#options;
    const { parameters } = this.#statement;
    for (const key of Object.keys(values)) {
      const index = parameters.findIndex(
        (name) => name === key || (allowBareNamedParameters && name?.slice(1) === key),
      );
      if (index >= 0) this.#statement.bind(index + 1, toSql(Reflect.get(values, key), index + 1));
      else if (!allowUnknownNamedParameters) throw invalidState(`Unknown named parameter '${key}'`);
    }
  }

  #row(columns: readonly string[]): Row {
    const { readBigInts, returnArrays } = this.#options;
    const values = this.#statement.row(readBigInts);
    values.forEach((value) => {
      if (typeof value !== 'bigint' || readBigInts) return;
      throw nodeError(
        new RangeError(`Value is too large to be represented as a JavaScript number: ${value}`),
        'ERR_OUT_OF_RANGE',
      );
    });
    if (returnArrays) return [...values];
    const row: Record<string, SqlValue> = Object.create(null);
    columns.forEach((name, index) => {
      row[name] = values[index] ?? null;
    });
    return row;
  }

  *#rows(params: readonly unknown[]): Generator<Row, undefined> {
    const statement = this.#statement;
    this.#run(() => this.#bind(params));
    const { columns } = statement;
    try {
      while (this.#run(() => statement.step())) yield this.#row(columns);
    } finally {
      this.#reset();
    }
    return undefined;
  }

  /** Ends a run, also after the database was closed. Throws if that commits it, and the commit fails. */
  #reset(): void {
    withErrors(sqliteError, () => this.#statement.reset());
  }

  all(...params: unknown[]): Row[] {
    return [...this.#rows(params)];
  }

  get(...params: unknown[]): Row | undefined {
    for (const row of this.#rows(params)) return row;
    return undefined;
  }

  iterate(...params: unknown[]): Iterator<Row> {
    return this.#rows(params);
  }

  run(...params: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#run(() => {
      this.#bind(params);
      try {
        while (this.#statement.step());
      } finally {
        this.#reset();
      }
      const changes = this.#connection.changes();
      const lastInsertRowid = this.#connection.lastInsertRowid();
      const { readBigInts } = this.#options;
      return Object.assign(Object.create(null), {
        changes: readBigInts ? BigInt(changes) : changes,
        lastInsertRowid: readBigInts ? lastInsertRowid : Number(lastInsertRowid),
      });
    });
  }
}

function isSpec(spec: unknown): spec is StatementSpec {
  return typeof spec === 'object' && spec !== null && 'connection' in spec;
}

function toSql(value: unknown, index: number): unknown {
  if (typeof value === 'bigint') {
    if (BigInt.asIntN(64, value) === value) return value;
    throw nodeError(new TypeError(`BigInt value is too large to bind.`), 'ERR_INVALID_ARG_VALUE');
  }
  if (typeof value === 'boolean') return value ? 1n : 0n;
  const isKnown =
    value === null ||
    typeof value === 'number' ||
    typeof value === 'string' ||
    ArrayBuffer.isView(value);
  if (isKnown) return value;
  throw nodeError(
    new TypeError(`Provided value cannot be bound to SQLite parameter ${index}.`),
    'ERR_INVALID_ARG_TYPE',
  );
}
