import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeSqliteStore } from '../../src/audit/database/sqlite-store.js';
import { openDatabase } from '../../src/audit/database/database.js';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import { queryStore } from '../../src/audit/query.js';
import { verify } from '../../src/audit/verify.js';
import { canonicalJson } from '../../src/canonical.js';
import { freshDirectory, gather, openLog } from './logs.js';

/** The lines of a log of format version 1, whose records do not have `v`. */
function olderLines(): string[] {
  const lines: string[] = [];
  let prev = '0'.repeat(64);
  for (const entry of [{ type: 'log-opened', pid: 1 }, { type: 'log-closed' }]) {
    const linked = { ...entry, atMs: 1, seq: lines.length + 1, prev };
    prev = hash('sha256', canonicalJson(linked), 'hex');
    lines.push(canonicalJson({ ...linked, hash: prev }));
  }
  return lines;
}

function fresh(): string {
  const directory = freshDirectory();
  mkdirSync(directory);
  return directory;
}

describe('an audit log of format version 1', () => {
  it('is renamed with its full files, and a new log is started', async () => {
    const directory = fresh();
    const path = join(directory, 'audit.jsonl');
    const [first = '', second = ''] = olderLines();
    writeFileSync(join(directory, 'audit.000000000001.jsonl'), `${first}\n`);
    writeFileSync(path, `${second}\n`);
    const store = makeJsonlStore(path);
    let older = '';
    const log = await openLog(store, { onOlder: (file) => (older = file) });
    await log.close();
    expect(older).toBe('audit.v1.jsonl');
    expect(await gather(queryStore(store, {}))).toMatchObject([
      { v: 2, seq: 1, type: 'log-opened' },
      { type: 'older-log-closed', formatVersion: 1, file: 'audit.v1.jsonl' },
      { type: 'log-closed' },
    ]);
    expect(await verify(store.read())).toMatchObject({ ok: true });
    expect(readFileSync(join(directory, 'audit.v1.jsonl'), 'utf8')).toBe(`${second}\n`);
    expect(readFileSync(join(directory, 'audit.v1.000000000001.jsonl'), 'utf8')).toBe(`${first}\n`);
    expect(existsSync(join(directory, 'audit.000000000001.jsonl'))).toBe(false);
  });

  it('in SQLite is renamed, and a new log is started', async () => {
    const directory = fresh();
    const path = join(directory, 'audit.db');
    await (await openLog(makeSqliteStore(path))).close();
    const database = await openDatabase(path);
    database.exec('DELETE FROM records');
    olderLines().forEach((line, index) => {
      database
        .prepare('INSERT INTO records (seq, at_ms, type, line) VALUES (?, 1, ?, ?)')
        .run(index + 1, 'x', line);
    });
    await database.close();
    const store = makeSqliteStore(path);
    const log = await openLog(store);
    await log.close();
    expect(await verify(store.read())).toMatchObject({ ok: true, records: 3 });
    expect(existsSync(join(directory, 'audit.v1.db'))).toBe(true);
  });

  it('is not renamed if the new name exists', async () => {
    const directory = fresh();
    writeFileSync(join(directory, 'audit.jsonl'), `${olderLines().join('\n')}\n`);
    writeFileSync(join(directory, 'audit.v1.jsonl'), 'another');
    await expect(openLog(makeJsonlStore(join(directory, 'audit.jsonl')))).rejects.toThrow(
      /because .*audit\.v1\.jsonl exists\. Move/,
    );
  });

  it('is not read as version 2', async () => {
    const path = join(fresh(), 'audit.jsonl');
    writeFileSync(path, `${olderLines().join('\n')}\n`);
    const store = makeJsonlStore(path);
    expect(await verify(store.read())).toMatchObject({
      ok: false,
      kind: 'older',
      message: expect.stringContaining('Read it with the version that wrote it'),
    });
    await expect(gather(queryStore(store, {}))).rejects.toThrow(/is of format version 1/);
  });

  it('is closed as a log that is not intact if it was changed', async () => {
    const path = join(fresh(), 'audit.jsonl');
    const changed = olderLines().map((line) => line.replace('"atMs":1', '"atMs":2'));
    writeFileSync(path, `${changed.join('\n')}\n`);
    const found: string[] = [];
    const log = await openLog(makeJsonlStore(path), { onBroken: ({ why }) => found.push(why) });
    await log.close();
    expect(found).toEqual([`is not intact: line 1 of ${path} is unreadable`]);
  });
});
