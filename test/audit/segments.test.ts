import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linkOf, seal, START, unseal } from '../../src/audit/chain.js';
import { openDatabase } from '../../src/audit/database/database.js';
import { makeSqliteStore } from '../../src/audit/database/sqlite-store.js';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import { queryStore } from '../../src/audit/query.js';
import type { AuditEntry } from '../../src/audit/record.js';
import type { AuditStore } from '../../src/audit/store.js';
import { parseAnchors, verify } from '../../src/audit/verify.js';
import { callEvents, freshDirectory, gather, openLog, typesOf } from './logs.js';
import { parseLine, signedLog } from './signed.js';

interface Found {
  readonly file: string;
  readonly why: string;
}

async function write(store: AuditStore, calls: number): Promise<Found[]> {
  const found: Found[] = [];
  const log = await openLog(store, { onBroken: (broken) => found.push(broken) });
  for (let call = 0; call < calls; call += 1) {
    for (const event of callEvents(String(call))) log.listener(event);
    await log.flush();
  }
  await log.close();
  return found;
}

describe('an engine that opens a log which was changed in the middle', () => {
  it('says where, renames the log, and starts a new segment', async () => {
    const path = join(freshDirectory(), 'audit.jsonl');
    expect(await write(makeJsonlStore(path), 4)).toEqual([]);
    expect(await write(makeJsonlStore(path), 1)).toEqual([]);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"wanted":"GET', '"wanted":"PUT'));
    const changed = readFileSync(path, 'utf8');
    const [found] = await write(makeJsonlStore(path), 1);
    expect(found?.why).toBe(`is not intact: line 3 of ${path} is changed`);
    expect(found?.file).toMatch(/^audit\.broken-\d{8}T\d{6}Z\.jsonl$/);
    expect(readFileSync(join(dirname(path), found?.file ?? ''), 'utf8')).toBe(changed);
    const records = await gather(queryStore(makeJsonlStore(path), {}));
    expect(typesOf(records).slice(0, 2)).toEqual(['log-opened', 'segment-started']);
    expect(records[1]).toMatchObject({ file: found?.file, reason: 'changed', record: 3 });
    const verdict = await verify(makeJsonlStore(path).read());
    expect(verdict).toMatchObject({ ok: true });
    expect(verdict.ok && verdict.notes.join()).toContain('was not intact at record 3');
    expect(await write(makeJsonlStore(path), 1)).toEqual([]);
  });

  it('does so for a removed record, for a full file, and for SQLite', async () => {
    const removed = join(freshDirectory(), 'audit.jsonl');
    await write(makeJsonlStore(removed), 4);
    const lines = readFileSync(removed, 'utf8').trimEnd().split('\n');
    writeFileSync(removed, `${lines.toSpliced(4, 1).join('\n')}\n`);
    expect(await write(makeJsonlStore(removed), 1)).toMatchObject([
      { why: `is not intact: line 5 of ${removed} is missing` },
    ]);

    const several = join(freshDirectory(), 'audit.jsonl');
    const small = { maxFileBytes: 2_000 };
    await write(makeJsonlStore(several, small), 8);
    const [full = ''] = readdirSync(dirname(several)).toSorted();
    const file = join(dirname(several), full);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"pid":1', '"pid":2'));
    const [found] = await write(makeJsonlStore(several, small), 1);
    expect(found?.why).toContain(`line 1 of ${file} is changed`);
    const renamed = readdirSync(dirname(several)).filter((name) => name.includes('broken'));
    expect(renamed.length).toBeGreaterThan(2);

    const database = join(freshDirectory(), 'audit.db');
    await write(makeSqliteStore(database), 4);
    const open = await openDatabase(database);
    open.exec(`UPDATE records SET line = replace(line, '"sample"', '"simple"') WHERE seq = 3`);
    await open.close();
    expect(await write(makeSqliteStore(database), 1)).toMatchObject([
      { why: `is not intact: line 3 of ${database} is changed` },
    ]);
    expect(await verify(makeSqliteStore(database).read())).toMatchObject({ ok: true });
  });

  it('does not continue a store of the host that cannot start a segment', async () => {
    const path = join(freshDirectory(), 'audit.jsonl');
    await write(makeJsonlStore(path), 2);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"sample"', '"simple"'));
    const { startSegment: _none, ...store } = makeJsonlStore(path);
    await expect(write(store, 1)).rejects.toMatchObject({
      code: 'AUDIT_FAILED',
      message: expect.stringContaining('Move it away') as string,
    });
    // The lock is free again.
    await write(makeJsonlStore(path), 1);
  });

  it('finds a log that was written again by the anchor of the second place', async () => {
    const log = await signedLog(3);
    let head = START;
    const again = log.lines().map((line) => {
      const { v: _v, seq: _seq, prev: _prev, hash: _hash, ...entry } = parseLine(line);
      const { record, line: next } = seal(head, { ...(entry as AuditEntry), atMs: 7 });
      head = record;
      return next;
    });
    log.replace(again);
    const found: Found[] = [];
    await log.write(1, { onBroken: (broken) => found.push(broken) });
    expect(found[0]?.why).toContain('is replaced');
  });

  it('finds a cut tail by the anchor of the second place, and anchors the new segment there', async () => {
    const log = await signedLog(3);
    log.replace(log.lines().slice(0, 6));
    const found: Found[] = [];
    await log.write(1, { onBroken: (broken) => found.push(broken) });
    expect(found).toMatchObject([{ why: 'is not intact: the end is truncated' }]);
    const text = readFileSync(log.anchorFile, 'utf8');
    expect(text).toContain(`the anchors above are of ${found[0]?.file ?? ''}`);
    const anchors = parseAnchors(text);
    const keys = [log.signer.publicKey];
    expect(await verify(makeJsonlStore(log.path).read(), { keys, anchors })).toMatchObject({
      ok: true,
      anchored: anchors.length,
    });
    // The next engine compares only the anchors of its own segment.
    await log.write(1, { onBroken: (broken) => found.push(broken) });
    expect(found.length).toBe(1);
  });
});

describe('a log without anchors', () => {
  it.each([
    ['its last record', 1],
    ['the last record and the checkpoint after it', 2],
    ['many records', 5],
  ])(
    'that lost %s does not end with a close: the next engine and verify say so',
    async (_, cut) => {
      const log = await signedLog(3);
      let unclosed = 0;
      const open = { anchors: [], onUnclosed: () => void (unclosed += 1) };
      await log.write(1, open);
      expect(unclosed).toBe(0);
      const keys = [log.signer.publicKey];
      const read = () => verify(makeJsonlStore(log.path).read(), { keys, acceptUnattested: true });
      expect(await read()).toMatchObject({ ok: true, notes: [] });
      log.replace(log.lines().slice(0, -cut));
      // A checkpoint alone may be missing because the key was.
      const isNoticed = cut > 1;
      await log.write(1, open);
      expect(unclosed).toBe(isNoticed ? 1 : 0);
      const verdict = await read();
      const note = 'the log was opened 1 times without a close before it';
      expect(verdict.ok && verdict.notes.join().includes(note)).toBe(isNoticed);
      await log.write(1, open);
      expect(unclosed).toBe(isNoticed ? 1 : 0);
    },
  );
});

describe('linkOf', () => {
  it('agrees with unseal about every record of a log, and about a changed one', async () => {
    const log = await signedLog(6);
    for (const line of log.lines()) {
      const record = unseal(line);
      if (typeof record === 'string') throw new Error(record);
      const { seq, prev, hash, type } = record;
      expect(linkOf(line)).toEqual({
        seq,
        prev,
        hash,
        isCheckpoint: type === 'checkpoint',
        isClose: type === 'log-closed',
      });
      expect(linkOf(line.replace('"seq":', '"seq":1'))).toBeUndefined();
    }
    for (const text of ['', '{}', `{"a":1,"hash":"${'0'.repeat(64)}"}`]) {
      expect(linkOf(text)).toBeUndefined();
    }
  });
});
