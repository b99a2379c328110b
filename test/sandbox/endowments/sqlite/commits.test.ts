/** When a transaction of SQLite counts, and what its connection learns if it does not. */
import { describe, expect, it } from 'vitest';
import type { SqliteConnection } from '../../../../sandbox/endowments/sqlite/connection.js';
import {
  attempt,
  busy,
  DATABASE,
  full,
  makeTestHost,
  outcome,
  run,
  type TestHost,
} from './guests.js';

const OK: unknown[] = [];
const BUSY = 5;
const FULL = 13;
const STALE = 517;

function open(host: TestHost, path = DATABASE): SqliteConnection {
  return host.guest().open(path, false, true);
}

/** A host with a table, and two guests with a connection each. */
function start(): { host: TestHost; one: SqliteConnection; two: SqliteConnection } {
  const host = makeTestHost();
  const one = open(host);
  run(one, 'create table t(a)');
  return { host, one, two: open(host) };
}

function rowsOf(host: TestHost): unknown[] {
  const reader = open(host);
  expect(run(reader, 'pragma integrity_check')).toEqual([['ok']]);
  return run(reader, 'select a from t order by a').flat();
}

/** The turn of a writer lapses, as that of one that has waited for long. */
function endTurns({ files }: TestHost): void {
  for (const file of files.values()) file.turn = undefined;
}

describe('a commit of a transaction that another guest overtook', () => {
  it('fails, ends the transaction, and is not "done" by a second COMMIT', () => {
    const { host, one, two } = start();
    run(one, 'begin; insert into t values (1)');
    endTurns(host);
    run(two, 'insert into t values (2)');
    expect(outcome(one, 'commit')).toBe(STALE);
    expect(one.inTransaction()).toBe(false);
    expect(outcome(one, 'commit')).toBe(1);
    expect(rowsOf(host)).toEqual([2]);
    expect(run(one, 'insert into t values (3) returning a')).toEqual([[3]]);
    expect(rowsOf(host)).toEqual([2, 3]);
  });

  it('says what to do', () => {
    const { host, one, two } = start();
    run(one, 'begin; insert into t values (1)');
    endTurns(host);
    run(two, 'insert into t values (2)');
    expect(() => run(one, 'commit')).toThrow(
      'database is locked: another guest changed the database since this transaction began. ' +
        'Roll back and begin again',
    );
  });

  it('loses nothing of the other guest if the pages were written before the commit', () => {
    const { host, one, two } = start();
    run(one, 'pragma cache_size=5; begin');
    for (let i = 0; i < 200; i += 1) run(one, `insert into t values (hex(zeroblob(1000)))`);
    endTurns(host);
    run(two, 'insert into t values (2)');
    expect(outcome(one, 'commit')).toBe(STALE);
    expect(rowsOf(host)).toEqual([2]);
    expect(run(one, 'select a from t')).toEqual([[2]]);
  });

  it('rolls back with ROLLBACK, without the host', () => {
    const { host, one, two } = start();
    run(one, 'pragma cache_size=5; begin');
    for (let i = 0; i < 200; i += 1) run(one, `insert into t values (hex(zeroblob(1000)))`);
    endTurns(host);
    run(two, 'insert into t values (2)');
    host.steps.length = 0;
    expect(outcome(one, 'rollback')).toEqual(OK);
    expect(host.steps).toEqual(['db-release']);
    run(one, 'insert into t values (3)');
    expect(rowsOf(host)).toEqual([2, 3]);
  });

  it.each(['delete', 'truncate', 'persist', 'memory', 'off'])(
    'is not stored later either, with journal_mode=%s',
    (mode) => {
      const { host, one, two } = start();
      run(one, `pragma journal_mode=${mode}; pragma cache_size=5; begin`);
      for (let i = 0; i < 100; i += 1) run(one, `insert into t values (hex(zeroblob(1000)))`);
      endTurns(host);
      run(two, 'insert into t values (2)');
      expect(outcome(one, 'commit')).toBe(STALE);
      expect(outcome(one, 'insert into t values (3)')).toEqual(OK);
      expect(rowsOf(host)).toEqual([2, 3]);
    },
  );

  it('tells a transaction that began to read before, when it wants to write', () => {
    const { host, one, two } = start();
    run(one, 'begin; select * from t');
    run(two, 'insert into t values (2)');
    expect(outcome(one, 'insert into t values (1)')).toBe(STALE);
    run(one, 'rollback; begin; insert into t values (1); commit');
    expect(rowsOf(host)).toEqual([1, 2]);
  });

  it('is not needed by a statement that can begin again itself', () => {
    const { host, one, two } = start();
    let isFirst = true;
    host.before = ({ op }) => {
      if (op !== 'db-reserve' || !isFirst) return;
      isFirst = false;
      run(two, 'insert into t values (2)');
    };
    expect(outcome(one, 'insert into t values (1)')).toEqual(OK);
    expect(rowsOf(host)).toEqual([1, 2]);
  });
});

describe('a commit that the host refuses', () => {
  const refusing = (host: TestHost, why: () => Error): void => {
    host.before = ({ op }) => {
      if (op === 'db-commit') throw why();
    };
  };

  it.each([
    ['EBUSY', busy, STALE],
    ['the quota', full, FULL],
  ] as const)('changes nothing for %s, however often it is tried', (_name, why, code) => {
    const { host, one } = start();
    run(one, 'begin; insert into t values (1)');
    refusing(host, why);
    expect(outcome(one, 'commit')).toBe(code);
    expect(outcome(one, 'commit')).toBe(1);
    host.before = () => {};
    expect(rowsOf(host)).toEqual([]);
    run(one, 'insert into t values (4)');
    expect(rowsOf(host)).toEqual([4]);
  });

  it.each(['reset', 'finalize', 'close'] as const)(
    'is the error of %s after a row, which commits',
    (how) => {
      const { host, one } = start();
      refusing(host, full);
      const { statement } = one.prepare('insert into t values (1), (2) returning a');
      expect(statement?.step()).toBe(true);
      expect(attempt(() => (how === 'close' ? one.close() : statement?.[how]()))).toBe(FULL);
      expect(attempt(() => statement?.reset())).toBeUndefined();
      expect(
        attempt(() => (how === 'close' ? one.close() : statement?.finalize())),
      ).toBeUndefined();
      host.before = () => {};
      expect(rowsOf(host)).toEqual([]);
    },
  );

  it('is reported once: reset and finalize do not repeat the error of a step', () => {
    const { host, one } = start();
    refusing(host, full);
    const { statement } = one.prepare('insert into t values (1)');
    expect(attempt(() => statement?.step())).toBe(FULL);
    expect(attempt(() => statement?.reset())).toBeUndefined();
    expect(attempt(() => statement?.step())).toBe(FULL);
    expect(attempt(() => statement?.finalize())).toBeUndefined();
    host.before = () => {};
    expect(rowsOf(host)).toEqual([]);
  });

  it('does not end a rollback whose turn cannot be given back', () => {
    const { host, one } = start();
    run(one, 'begin; insert into t values (1)');
    host.before = ({ op }) => {
      if (op === 'db-release') throw full();
    };
    expect(outcome(one, 'rollback')).toEqual(OK);
  });
});

describe('modes of SQLite that would lose a transaction', () => {
  it('has no exclusive lock and no log', () => {
    const { host, one } = start();
    expect(run(one, 'pragma locking_mode=exclusive')).toEqual([]);
    expect(run(one, 'pragma main.locking_mode("EXCLUSIVE")')).toEqual([]);
    expect(run(one, 'pragma locking_mode')).toEqual([['normal']]);
    expect(run(one, 'pragma journal_mode=wal')).toEqual([['delete']]);
    run(one, 'insert into t values (1)');
    run(one, 'insert into t values (2)');
    expect(rowsOf(host)).toEqual([1, 2]);
  });

  it('has none for an attached database either', () => {
    const { host } = start();
    const memory = host.guest().open(undefined, false, true);
    run(memory, `pragma locking_mode=exclusive; attach '${DATABASE}' as a`);
    expect(run(memory, 'pragma a.journal_mode=wal')).toEqual([['delete']]);
    run(memory, 'insert into a.t values (1)');
    run(memory, 'insert into a.t values (2)');
    expect(rowsOf(host)).toEqual([1, 2]);
  });

  it('opens no file without its locks', () => {
    const { host } = start();
    const memory = host.guest().open(undefined, false, true);
    attempt(() => run(memory, `attach 'file:${DATABASE}?nolock=1' as a`));
    attempt(() => run(memory, 'insert into a.t values (1)'));
    run(open(host), 'insert into t values (2)');
    attempt(() => run(memory, 'insert into a.t values (3)'));
    expect(rowsOf(host)).toEqual([2]);
  });
});

describe('the stored file', () => {
  it('shrinks with VACUUM and with auto_vacuum', () => {
    const { host, one } = start();
    for (let i = 0; i < 100; i += 1) run(one, `insert into t values (hex(zeroblob(2000)))`);
    const before = host.content().length;
    run(one, 'delete from t; vacuum');
    expect(host.content().length).toBeLessThan(before / 10);
    expect(host.content().length).toBe(4096 * Number(run(one, 'pragma page_count')[0]?.[0]));
    run(one, 'pragma auto_vacuum=full; vacuum; insert into t values (hex(zeroblob(90000)))');
    const grown = host.content().length;
    run(one, 'delete from t');
    expect(host.content().length).toBeLessThan(grown / 10);
    expect(rowsOf(host)).toEqual([]);
  });

  it.each([512, 1024, 65_536])('has pages of %i bytes after VACUUM', (size) => {
    const { host, one } = start();
    run(one, `insert into t values ('x'), (zeroblob(70000)); delete from t where a != 'x'`);
    run(one, `pragma page_size=${size}; vacuum`);
    expect(run(one, 'pragma page_size')).toEqual([[size]]);
    expect(host.content().length % size).toBe(0);
    expect(host.content().length).toBe(size * Number(run(one, 'pragma page_count')[0]?.[0]));
    run(one, `insert into t values ('y')`);
    expect(rowsOf(host)).toEqual(['x', 'y']);
  });

  it('has one writer in a guest, by whatever name it is opened', () => {
    const host = makeTestHost();
    const guest = host.guest();
    const one = guest.open(DATABASE, false, true);
    run(one, 'create table t(a)');
    const two = guest.open('/plugin/data/a.db', false, true);
    run(one, 'begin immediate');
    host.steps.length = 0;
    expect(outcome(two, 'begin immediate')).toBe(BUSY);
    expect(host.steps).toEqual(['db-state']);
  });
});
