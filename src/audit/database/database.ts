import { collectGarbage } from '../disk/collect-garbage.js';
import { auditFailed } from '../store.js';

/** The part of SQLite's interface that `node:sqlite` and `libsql` share and this store uses. */
export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  /** Resolves when its descriptors are closed. Its statements must not be used afterwards. */
  close(): Promise<void>;
}

/** A database as its driver opens it. */
type Driven = Omit<Database, 'close'> & { close(): unknown };

export interface Statement {
  run(...values: readonly (string | number)[]): unknown;
  all(...values: readonly (string | number)[]): unknown[];
}

interface Driver {
  readonly module: string;
  readonly export: string;
  /** Whether `close` leaves the file open until the statements are garbage-collected. */
  readonly closesLate?: true;
}

/** In order of preference: Node's own driver, then the optional peer dependency. */
const DRIVERS: readonly Driver[] = [
  { module: 'node:sqlite', export: 'DatabaseSync' },
  { module: 'libsql', export: 'default', closesLate: true },
];

/** Opens an SQLite file. Throws `AUDIT_FAILED` if no driver is installed. */
export async function openDatabase(path: string): Promise<Database> {
  const { driverClass, closesLate } = await loadDriver(path);
  try {
    const database: unknown = Reflect.construct(driverClass, [path]);
    if (isDatabase(database)) return withClose(database, closesLate === true);
  } catch (error) {
    throw auditFailed(path, 'cannot be opened', error);
  }
  throw auditFailed(path, 'cannot be opened: the SQLite driver lacks exec, prepare or close');
}

function withClose(driven: Driven, closesLate: boolean): Database {
  return {
    exec: (sql) => driven.exec(sql),
    prepare: (sql) => driven.prepare(sql),
    close: async () => {
      driven.close();
      // Statements of `libsql` have no `close`, and each of them keeps the file open.
      // guard: statements-collected-at-close
      if (closesLate) await collectGarbage();
    },
  };
}

async function loadDriver(
  path: string,
): Promise<Pick<Driver, 'closesLate'> & { readonly driverClass: new (path: string) => unknown }> {
  for (const driver of DRIVERS) {
    // A variable name, because neither module has to be installed, and no bundler can follow native code.
    const loaded: unknown = await import(driver.module).catch(() => undefined);
    const driverClass: unknown =
      typeof loaded === 'object' && loaded !== null
        ? Reflect.get(loaded, driver.export)
        : undefined;
    if (isConstructor(driverClass)) return { ...driver, driverClass };
  }
  throw auditFailed(
    path,
    'needs SQLite: run Node 22.13 or later, or `npm install libsql`, or choose a file whose name ends in .jsonl',
  );
}

function isConstructor(value: unknown): value is new (path: string) => unknown {
  return typeof value === 'function';
}

function isDatabase(value: unknown): value is Driven {
  return (
    typeof value === 'object' &&
    value !== null &&
    'exec' in value &&
    typeof value.exec === 'function' &&
    'prepare' in value &&
    typeof value.prepare === 'function' &&
    'close' in value &&
    typeof value.close === 'function'
  );
}
