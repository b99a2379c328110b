import { basename } from 'node:path';
import { START, unseal } from '../chain.js';
import { brokenName, makeOwnFile, olderName, renameOlder } from '../disk/own-file.js';
import { lockLog, type AuditStore, type ReadHint, type StoredLine, auditFailed } from '../store.js';
import type { Head } from '../record.js';
import { type Database, openDatabase } from './database.js';

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS records (
    seq INTEGER PRIMARY KEY, at_ms REAL NOT NULL, type TEXT NOT NULL,
    plugin TEXT, tool TEXT, call TEXT, line TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS records_by_call ON records (call);
`;

const INSERT = `INSERT INTO records (seq, at_ms, type, plugin, tool, call, line)
  VALUES (?, ?, ?, nullif(?, ''), nullif(?, ''), nullif(?, ''), ?)`;

/** Rows of one read. */
const PAGE = 500;

/**
 * Stores a log in an SQLite database, with columns for queries by other tools. The chain covers only
 * `line`. A write blocks the host's thread until the disk has it.
 */
export function makeSqliteStore(path: string): AuditStore {
  let database: Database | undefined;
  let unlock = (): void => {};

  const headOf = (open: Database): Head | 'older' | 'unsound' => {
    const [row] = open.prepare('SELECT seq, line FROM records ORDER BY seq DESC LIMIT 1').all();
    if (row === undefined) return START;
    const record = unseal(lineOf(row));
    if (typeof record !== 'string' || record === 'older') return record;
    return 'unsound';
  };

  /** Renames the database, and opens an empty one in its place. */
  const replace = async (current: Database, next: string): Promise<Database> => {
    await current.close();
    await renameOlder(path, [
      [path, next],
      [`${path}-wal`, `${next}-wal`],
    ]);
    await makeOwnFile(path);
    const opened = await openDatabase(path);
    opened.exec(SCHEMA);
    return opened;
  };

  return {
    name: path,
    open: async () => {
      // SQLite itself would create a file that every user may read.
      await makeOwnFile(path).catch((error: unknown) => {
        throw auditFailed(path, 'cannot be opened', error);
      });
      unlock = await lockLog(path);
      try {
        database = await openDatabase(path);
        database.exec(SCHEMA);
        let head = headOf(database);
        let older: string | undefined;
        if (head === 'older') {
          older = olderName(path);
          database = await replace(database, older);
          head = START;
        }
        if (head === 'unsound') return { head: START, torn: undefined, unsound: true };
        // SQLite itself removes a torn write.
        return {
          head,
          torn: undefined,
          ...(older === undefined ? {} : { older: basename(older) }),
        };
      } catch (error) {
        await database?.close();
        unlock();
        throw isBulkhead(error) ? error : auditFailed(path, 'cannot be opened', error);
      }
    },
    startSegment: async () => {
      if (database === undefined) throw auditFailed(path, 'is not open');
      const name = brokenName(path, Date.now());
      database = await replace(database, name);
      return basename(name);
    },
    append: async (records, durable) => {
      const open = database;
      if (open === undefined) throw auditFailed(path, 'is not open');
      try {
        open.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}; BEGIN IMMEDIATE`);
        const insert = open.prepare(INSERT);
        for (const { record, line } of records) {
          const { plugin = '', tool = '', call = '' } = namesOf(record);
          insert.run(record.seq, record.atMs, record.type, plugin, tool, call, line);
        }
        open.exec('COMMIT');
        if (durable) open.exec('PRAGMA wal_checkpoint(FULL)');
      } catch (error) {
        rollBack(open);
        throw auditFailed(path, 'cannot be written', error);
      }
    },
    expired: () => Promise.resolve(undefined),
    remove: () => Promise.resolve(),
    read: (hint = {}) => readAll(path, hint, database),
    close: async () => {
      const closing = database;
      database = undefined;
      await closing?.close();
      unlock();
    },
  };
}

async function* readAll(
  path: string,
  { afterSeq = 0 }: ReadHint,
  opened: Database | undefined,
): AsyncGenerator<StoredLine> {
  const database = opened ?? (await openDatabase(path));
  try {
    let last = afterSeq;
    for (;;) {
      const rows = pageAfter(database, last, path);
      for (const row of rows) {
        last = numberOf(row);
        yield { line: lineOf(row), file: path, number: last };
      }
      if (rows.length < PAGE) return;
    }
  } finally {
    if (opened === undefined) await database.close();
  }
}

function pageAfter(database: Database, seq: number, path: string): unknown[] {
  try {
    return database
      .prepare(`SELECT seq, line FROM records WHERE seq > ? ORDER BY seq LIMIT ${PAGE}`)
      .all(seq);
  } catch (error) {
    throw auditFailed(path, 'cannot be read', error);
  }
}

function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // The transaction had not started.
  }
}

function lineOf(row: unknown): string {
  return typeof row === 'object' && row !== null && 'line' in row && typeof row.line === 'string'
    ? row.line
    : '';
}

function numberOf(row: unknown): number {
  return typeof row === 'object' && row !== null && 'seq' in row ? Number(row.seq) : NaN;
}

function namesOf(record: object): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}

function isBulkhead(error: unknown): boolean {
  return error instanceof Error && error.name === 'BulkheadError';
}
