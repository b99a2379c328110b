import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/index.js';
import { makeDirectory, makePlugin, silentLogger, startEngine } from '../plugin-on-disk.js';
import { CASES as BUN_CASES } from './bun-cases.js';
import { CASES as NODE_CASES } from './node-cases.js';

const DATA = '/workspace/plugins/sample/data';

/** A plugin whose tools are these bodies. `T` returns the result of work, or its error. */
function plugin(
  tools: Readonly<Record<string, string>>,
  permissions: object = { storage: true },
): string {
  const list = Object.entries(tools).map(
    ([id, body]) =>
      `{ id: '${id}', name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: async (input) => { ${body} } }`,
  );
  const source = `import { Database } from 'bun:sqlite'; import { DatabaseSync, StatementSync } from 'node:sqlite';
    import * as BUN from 'bun:sqlite'; import * as NODE from 'node:sqlite'; import fs from 'node:fs';
    const F = (name) => '${DATA}/' + name;
    const T = (work) => { try { return work() } catch (e) { return { error: e.name, message: e.message, code: e.code,
      errno: e.errno, errcode: e.errcode, errstr: e.errstr, byteOffset: e.byteOffset } } };
    const J = (value) => JSON.stringify(value, (_, v) => typeof v === 'bigint' ? v + 'n' : v);
    export const tools = [${list.join(',\n')}]`;
  return makePlugin({ permissions, source });
}

async function answerOf(engine: Engine, tool: string, input: object = {}): Promise<unknown> {
  const result = await engine.call(tool, input);
  if (result.isError) return [result.code, result.content];
  return result.value;
}

describe('SQLite’s modules answer what their runtimes answer', () => {
  let engine: Engine;
  beforeAll(async () => {
    const bodies = [
      ...BUN_CASES.map(({ name, run }) => ['bun', name, run] as const),
      ...NODE_CASES.map(({ name, run }) => ['node', name, run] as const),
    ].map(([kind, name, run]) => [
      `${kind}_${name}`,
      `const M = ${kind === 'bun' ? 'BUN' : 'NODE'}; const F = (file) => '${DATA}/${kind}-${name}-' + file;
       return J(T(() => { ${run} }))`,
    ]);
    engine = await startEngine([plugin(Object.fromEntries(bodies))], {
      storageDirectory: makeDirectory(),
    });
  });

  /** The cases were answered by a plugin with another id, one for each module. */
  const asCase = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll('/workspace/plugins/s/', '/workspace/plugins/sample/')
        .replace(/data\/(?:bun|node)-/g, 'data/'),
    );

  it.each(BUN_CASES)('bun:sqlite, $name', async ({ name, answer }) => {
    const text = await answerOf(engine, `bun_${name}`);
    expect(asCase(JSON.parse(String(text)))).toEqual(asCase(answer));
  });

  it.each(NODE_CASES)('node:sqlite, $name', async ({ name, answer }) => {
    const text = await answerOf(engine, `node_${name}`);
    expect(asCase(JSON.parse(String(text)))).toEqual(asCase(answer));
  });
});

describe('a database in the plugin’s storage', () => {
  const tools = {
    write: `const db = new Database(F('a.db')); db.run('create table if not exists t(a)'); db.run('insert into t values (?)', [input.a]); return db.query('select a from t').values().flat()`,
    half: `const db = new Database(F('a.db')); db.run('pragma cache_size = 10'); db.run('begin'); const add = db.query('insert into t values (?)');
      for (let i = 0; i < 4000; i += 1) add.run('x'.repeat(500)); db.run('update t set a = 1'); for (;;);`,
    read: `const db = new DatabaseSync(F('a.db')); return [db.prepare('select a from t').all().map((row) => row.a), db.prepare('pragma integrity_check').get().integrity_check]`,
    fill: `const db = new Database(F('a.db')); const add = db.query('insert into t values (?)');
      const error = T(() => db.transaction(() => { for (let i = 0; i < 100; i += 1) add.run('y'.repeat(5000)) })());
      return [error.code, error.message, db.query('select count(*) n from t').get().n, db.inTransaction]`,
    returning: `const bun = new Database(F('a.db')); const node = new DatabaseSync(F('a.db')); const big = 'insert into t values (zeroblob(200000)) returning 1';
      const rows = (it) => { for (const row of it) break };
      const tries = [() => bun.query(big).get(), () => rows(bun.query(big).iterate()), () => bun.query(big).all(), () => bun.run(big), () => node.prepare(big).get(), () => rows(node.prepare(big).iterate()), () => node.prepare(big).run(), () => node.exec(big)];
      return [tries.map((run) => { const error = T(run); return error.code + ' ' + error.errcode }), bun.query('select count(*) n from t').get().n]`,
    begin: `globalThis.open = { bun: new Database(F('a.db')), node: new DatabaseSync(F('a.db')) }; open[input.kind].exec('begin; insert into t values (1)')`,
    commit: `const db = open[input.kind]; const commit = () => T(() => db.exec('commit'));
      return [commit(), commit()].map(({ code, errcode, message }) => [code, errcode ?? null, message])`,
    grow: `const db = new Database(F('b.db')); db.run('pragma cache_size = 20'); db.run('create table t(id integer primary key, a)');
      db.transaction(() => { for (let i = 0; i < 3000; i += 1) db.run('insert into t(a) values (?)', ['z'.repeat(1000)]) })();
      db.run('delete from t where id % 2'); db.run('vacuum'); db.close();
      const again = new Database(F('b.db'));
      return [again.query('select count(*) n, sum(length(a)) s from t').get(), again.query('pragma integrity_check').values().flat()]`,
    twice: `const one = new Database(F('c.db')); one.run('create table t(a)'); const two = new Database(F('c.db'));
      one.run('begin immediate'); one.run('insert into t values (1)');
      const locked = T(() => two.run('insert into t values (2)')); const before = two.query('select count(*) n from t').get().n;
      one.run('commit'); two.run('insert into t values (3)'); return [locked.code, before, one.query('select a from t').values().flat()]`,
    recover: `const one = new Database(F('d.db')); one.run('create table t(a)'); one.run('begin'); one.run('insert into t values (1)'); one.run('rollback');
      one.run('insert into t values (2)'); one.run('pragma synchronous = off'); one.run('insert into t values (3)'); one.run('pragma journal_mode = wal'); one.run('insert into t values (4)');
      return new Database(F('d.db'), { readonly: true }).query('select a from t').values().flat()`,
    corrupt: `fs.writeFileSync(F('e.db'), 'This is not a database, and it is long enough to have a header.'.repeat(20)); await fs.promises.stat(F('e.db')); const db = new Database(F('e.db')); return T(() => db.run('create table t(a)'))`,
  };

  it('outlives its engine', async () => {
    const storageDirectory = makeDirectory();
    const first = await startEngine([plugin(tools)], { storageDirectory });
    expect(await answerOf(first, 'write', { a: 'one' })).toEqual(['one']);
    await first.close();
    const second = await startEngine([plugin(tools)], { storageDirectory });
    expect(await answerOf(second, 'write', { a: 'two' })).toEqual(['one', 'two']);
    expect(await answerOf(second, 'read')).toEqual([['one', 'two'], 'ok']);
  });

  it('has the state before a transaction whose guest was killed', async () => {
    const engine = await startEngine([plugin(tools)], { storageDirectory: makeDirectory() });
    await answerOf(engine, 'write', { a: 'kept' });
    const killed = await engine.call('half', {}, { timeoutMs: 4_000 });
    expect(killed.code).toBe('DEADLINE_EXCEEDED');
    expect(await answerOf(engine, 'read')).toEqual([['kept'], 'ok']);
    // The turn of the writer that is gone does not last.
    expect(await answerOf(engine, 'write', { a: 'later' })).toEqual(['kept', 'later']);
  });

  it('stays within the quota, in the state before', async () => {
    const storageDirectory = makeDirectory();
    const engine = await startEngine([plugin(tools)], {
      storageDirectory,
      limits: { maxStorageBytes: 100_000 },
    });
    await answerOf(engine, 'write', { a: 'kept' });
    expect(await answerOf(engine, 'fill')).toEqual([
      'SQLITE_FULL',
      expect.stringMatching(/^database or disk is full: .* limits\.maxStorageBytes/),
      1,
      false,
    ]);
    expect(await answerOf(engine, 'returning')).toEqual([
      [
        ...Array.from({ length: 4 }, () => 'SQLITE_FULL undefined'),
        ...Array.from({ length: 4 }, () => 'ERR_SQLITE_ERROR 13'),
      ],
      1,
    ]);
    expect(await answerOf(engine, 'read')).toEqual([['kept'], 'ok']);
    expect(statSync(join(storageDirectory, 'sample/data/a.db')).size).toBeLessThan(100_000);
  });

  it.each([
    ['bun', 'SQLITE_BUSY_SNAPSHOT', null, 'SQLITE_ERROR'],
    ['node', 'ERR_SQLITE_ERROR', 517, 'ERR_SQLITE_ERROR'],
  ])(
    'fails a commit that another guest overtook, and does not repeat it (%s)',
    async (kind, code, errcode, later) => {
      const storageDirectory = makeDirectory();
      const first = await startEngine([plugin(tools)], { storageDirectory });
      const second = await startEngine([plugin(tools)], { storageDirectory });
      await answerOf(first, 'write', { a: 'kept' });
      await answerOf(first, 'begin', { kind });
      expect(await answerOf(second, 'write', { a: 'other' })).toEqual(['kept', 'other']);
      expect(await answerOf(first, 'commit', { kind })).toEqual([
        [code, errcode, expect.stringContaining('Roll back and begin again')],
        [later, errcode === null ? null : 1, 'cannot commit - no transaction is active'],
      ]);
      expect(await answerOf(first, 'read')).toEqual([['kept', 'other'], 'ok']);
    },
  );

  it('holds megabytes, shrinks, and has several connections', async () => {
    const engine = await startEngine([plugin(tools)], { storageDirectory: makeDirectory() });
    expect(await answerOf(engine, 'grow')).toEqual([{ n: 1500, s: 1_500_000 }, ['ok']]);
    expect(await answerOf(engine, 'twice')).toEqual(['SQLITE_BUSY', 0, [1, 3]]);
    expect(await answerOf(engine, 'recover')).toEqual([2, 3, 4]);
    expect(await answerOf(engine, 'corrupt')).toMatchObject({ code: 'SQLITE_NOTADB' });
  });
});

describe('SQLite and the walls', () => {
  const tools = {
    memory: `const db = new Database(); return [db.query('select 1 + 1 as two').get().two, typeof WebAssembly, typeof globalThis.WebAssembly, new DatabaseSync(':memory:').location()]`,
    file: `return [T(() => new Database(F('a.db'))), T(() => new Database(':memory:').run("attach '" + F('a.db') + "' as a"))].map(({ code, message }) => [code, message])`,
    outside: `return ['/etc/passwd', '/proc/self/mem', '${DATA}/../../../../etc/passwd', '${DATA}', 'file:/etc/passwd?vfs=unix'].map((path) => [T(() => new Database(path)).code, T(() => new Database().run('attach ? as a', [path])).code, T(() => new Database().run("vacuum into '" + path + "'")).code])`,
    clock: `const db = new Database(); return [db.query("select datetime('now') a").get().a, db.query('select current_date a').get().a, db.query("select datetime(0, 'unixepoch', 'localtime') a").get().a]`,
    random: `return new Database().query('select random() a, hex(randomblob(4)) b').get()`,
    crash: `const db = new Database(); const out = [];
      const q = db.query('select 1 a union select 2'); 
      const n = new DatabaseSync(':memory:'); n.function('close', () => { n.close(); return 1 }); n.function('deep', (x) => n.prepare('select deep(1)').get());
      out.push(T(() => n.prepare('select close()').get()).message, T(() => n.prepare('select deep(1)').get()).error !== undefined);
      out.push(T(() => { for (const row of q.iterate()) { q.finalize(); } }).message);
      const big = T(() => db.query("select zeroblob(900000000) a").get()); out.push(big.code ?? big.message);
      out.push(T(() => new Database().query('select 3 a').get().a));
      const proto = (o) => { const seen = []; for (let x = o; x; x = Object.getPrototypeOf(x)) seen.push(Object.isFrozen(x)); return seen };
      out.push(proto(big).slice(1).every(Boolean) || big.error === 'SQLiteError');
      return out`,
  };

  it('needs no permission for a database in memory, and storage for a file', async () => {
    const engine = await startEngine([plugin(tools, {})], { storageDirectory: makeDirectory() });
    expect(await answerOf(engine, 'memory')).toEqual([2, 'undefined', 'undefined', null]);
    const denied = ['STORAGE_DENIED', expect.stringContaining('"storage": true')];
    expect(await answerOf(engine, 'file')).toEqual([denied, denied]);
  });

  it('opens, attaches and makes no file outside of the storage', async () => {
    const engine = await startEngine([plugin(tools)], { storageDirectory: makeDirectory() });
    const refused = Array.from({ length: 3 }, () => 'STORAGE_DENIED');
    const answer = await answerOf(engine, 'outside');
    expect(answer).toEqual([
      refused,
      refused,
      refused,
      refused,
      expect.arrayContaining(['STORAGE_DENIED']),
    ]);
  });

  it('has a fixed clock without the permission time, with one denial', async () => {
    const engine = await startEngine([plugin(tools)], { storageDirectory: makeDirectory() });
    const { value, denied } = await engine.call('clock', {});
    expect(value).toEqual(['1970-01-01 00:00:00', '1970-01-01', '1970-01-01 00:00:00']);
    expect(denied).toMatchObject([
      { permission: 'time', wanted: 'the current time in SQL', count: 1 },
    ]);
    const random = await answerOf(engine, 'random');
    const other = await startEngine([plugin(tools, { time: true, random: true })], {
      storageDirectory: makeDirectory(),
      timeZone: 'Asia/Tokyo',
    });
    const year = String(new Date().getUTCFullYear());
    expect(await answerOf(other, 'clock')).toEqual([
      expect.stringContaining(year),
      expect.stringContaining(year),
      '1970-01-01 09:00:00',
    ]);
    expect(await answerOf(other, 'random')).not.toEqual(random);
  });

  it('survives what plugin code does to it', async () => {
    const engine = await startEngine([plugin(tools)], {
      storageDirectory: makeDirectory(),
      logger: silentLogger,
    });
    expect(await answerOf(engine, 'crash')).toEqual([
      'database connection is busy',
      true,
      'statement has been finalized',
      expect.anything(),
      3,
      true,
    ]);
  });
});
