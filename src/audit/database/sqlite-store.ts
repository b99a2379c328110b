import { START, unseal } from '../chain.js';
import { lockLog } from '../disk/lock.js';
import { makeOwnFile } from '../disk/own-file.js';
import { auditFailed } from '../failure.js';
import type { Head } from '../record.js';
import type { AuditStore, ReadHint, StoredLine } from '../store.js';
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

/** Rows that are read at a time. */
const PAGE = 500;

/**
 * Keeps a log in a database of SQLite's, beside the columns that other tools may want to query. The
 * chain is over `line` alone. Writing it takes the host's thread, for as long as the disk takes.
 */
export function makeSqliteStore(path: string): AuditStore {
  let database: Database | undefined;
  let unlock = (): Promise<void> => Promise.resolve();

  const headOf = (open: Database): Head => {
    const [row] = open.prepare('SELECT seq, line FROM records ORDER BY seq DESC LIMIT 1').all();
    if (row === undefined) return START;
    const record = unseal(lineOf(row));
    if (typeof record !== 'string') return record;
    throw auditFailed(path, `is not what was written: its last record is ${record}`);
  };

  return {
    name: path,
    open: async () => {
      // SQLite itself would make one that everybody may read.
      await makeOwnFile(path).catch((error: unknown) => {
        throw auditFailed(path, 'cannot be opened', error);
      });
      unlock = await lockLog(path);
      try {
        database = await openDatabase(path);
        database.exec(SCHEMA);
        // SQLite takes off by itself what a write that was cut short has left.
        return { head: headOf(database), torn: undefined };
      } catch (error) {
        database?.close();
        await unlock();
        throw isOurs(error) ? error : auditFailed(path, 'cannot be opened', error);
      }
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
      database?.close();
      database = undefined;
      await unlock();
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
    if (opened === undefined) database.close();
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
    // There was nothing to roll back: the transaction had not begun.
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

function isOurs(error: unknown): boolean {
  return error instanceof Error && error.name === 'BulkheadError';
}
