import { auditFailed } from '../failure.js';

/** SQLite, as far as it is used: what `node:sqlite` and `libsql` have in common. */
export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

export interface Statement {
  run(...values: readonly (string | number)[]): unknown;
  all(...values: readonly (string | number)[]): unknown[];
}

/** In order of preference: Node's own where it has one, else the optional peer. */
const DRIVERS: readonly { readonly module: string; readonly export: string }[] = [
  { module: 'node:sqlite', export: 'DatabaseSync' },
  { module: 'libsql', export: 'default' },
];

/** Opens a file of SQLite's. Throws `AUDIT_FAILED` where no driver is there. */
export async function openDatabase(path: string): Promise<Database> {
  const make = await loadDriver(path);
  try {
    const database: unknown = Reflect.construct(make, [path]);
    if (isDatabase(database)) return database;
  } catch (error) {
    throw auditFailed(path, 'cannot be opened', error);
  }
  throw auditFailed(path, 'cannot be opened: its driver is not one that is known');
}

async function loadDriver(path: string): Promise<new (path: string) => unknown> {
  for (const driver of DRIVERS) {
    // By a name that is not known before: neither has to be there.
    const loaded: unknown = await import(driver.module).catch(() => undefined);
    const make: unknown =
      typeof loaded === 'object' && loaded !== null
        ? Reflect.get(loaded, driver.export)
        : undefined;
    if (isConstructor(make)) return make;
  }
  throw auditFailed(
    path,
    'needs SQLite: run Node 22.13 or later, or `npm install libsql`, or name a file that ends in .jsonl',
  );
}

function isConstructor(value: unknown): value is new (path: string) => unknown {
  return typeof value === 'function';
}

function isDatabase(value: unknown): value is Database {
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
