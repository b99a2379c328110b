import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeAudit } from '../../src/audit/audit.js';
import { unseal } from '../../src/audit/chain.js';
import { AUDIT_LIMITS } from '../../src/audit/record.js';
import { queryStore } from '../../src/audit/query.js';
import { verify } from '../../src/audit/verify.js';
import { callEvents, freshDirectory, gather, openLog, stores, typesOf } from './logs.js';

const never = new Promise<void>(() => {});

describe.each(Object.entries(stores))('an audit log in %s', (_, makeStore) => {
  const fresh = (): string => {
    const directory = freshDirectory();
    mkdirSync(directory);
    return directory;
  };

  it('has the events in order, and is valid', async () => {
    const store = makeStore(fresh());
    const log = await openLog(store);
    for (const event of [...callEvents('a'), ...callEvents('b')]) log.listener(event);
    await log.close();
    expect(typesOf(await gather(queryStore(store, {})))).toEqual([
      'log-opened',
      'call-started',
      'capability-used',
      'call-ended',
      'call-started',
      'capability-used',
      'call-ended',
      'log-closed',
    ]);
    expect(await verify(store.read())).toMatchObject({ ok: true, records: 8, notes: [] });
  });

  it('can be read only by its owner', async () => {
    const directory = fresh();
    const log = await openLog(makeStore(directory));
    await log.flush();
    const modes = readdirSync(directory).map(
      (name) => statSync(join(directory, name)).mode & 0o077,
    );
    expect(modes.length).toBeGreaterThan(0);
    expect(modes.every((mode) => mode === 0)).toBe(true);
    await log.close();
  });

  it('creates its directory', async () => {
    const directory = join(fresh(), 'logs', 'here');
    const log = await openLog(makeStore(directory));
    expect(readdirSync(directory).length).toBeGreaterThan(0);
    await log.close();
  });

  it('has texts of every length and alphabet', async () => {
    const store = makeStore(fresh());
    const log = await openLog(store);
    const texts = ['x'.repeat(1_500), '\u{1f600}'.repeat(700), '\u00e9\u2192\n"', '\ud800', ''];
    for (const message of texts) {
      log.listener({ atMs: 1, type: 'alert', plugin: '\u2603', level: 'info', message });
      await log.flush();
    }
    await log.close();
    const records = await gather(queryStore(store, { types: ['alert'] }));
    expect(records.map((record) => 'message' in record && record.message)).toEqual(texts);
    expect(await verify(store.read())).toMatchObject({ ok: true, records: 7 });
  });

  it('continues the chain when it is opened again', async () => {
    const directory = fresh();
    for (const call of ['a', 'b']) {
      const log = await openLog(makeStore(directory));
      for (const event of callEvents(call)) log.listener(event);
      await log.close();
    }
    const store = makeStore(directory);
    expect(await verify(store.read())).toMatchObject({ ok: true, records: 10 });
    const records = await gather(queryStore(store, {}));
    expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('has every event before a flush when the flush resolves', async () => {
    const store = makeStore(fresh());
    const log = await openLog(store);
    for (const event of callEvents('a')) log.listener(event);
    await log.flush();
    expect(typesOf(await gather(queryStore(store, { call: 'a' })))).toEqual([
      'call-started',
      'capability-used',
      'call-ended',
    ]);
    await log.close();
  });

  it('does not write during the task that emits events', async () => {
    const store = makeStore(fresh());
    let appends = 0;
    const log = await openLog({
      ...store,
      append: (...args) => {
        appends += 1;
        return store.append(...args);
      },
    });
    appends = 0;
    for (let call = 0; call < 100; call += 1) {
      for (const event of callEvents(String(call))) log.listener(event);
    }
    expect(appends).toBe(0);
    await log.flush();
    expect(appends).toBeLessThan(5);
    await log.close();
  });

  it('rejects a reader of its stream that is too far behind', async () => {
    const store = makeStore(fresh());
    const log = await openLog(store);
    const audit = makeAudit(store, log, never);
    const stream = audit.stream();
    const [event] = callEvents('a');
    for (let count = 0; count <= AUDIT_LIMITS.maxBehindRecords; count += 1) {
      if (event !== undefined) log.listener(event);
    }
    await log.flush();
    await expect(gather(stream)).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
    await log.close();
  });

  it('finds records by plugin, tool, type, time, call and place', async () => {
    const store = makeStore(fresh());
    const log = await openLog(store);
    for (const event of [...callEvents('a'), ...callEvents('b')]) log.listener(event);
    await log.close();
    const find = async (filter: object): Promise<number[]> =>
      (await gather(queryStore(store, filter))).map(({ seq }) => seq);
    expect(await find({ call: 'a' })).toEqual([2, 3, 4]);
    expect(await find({ plugin: 'sample', types: ['call-ended'] })).toEqual([4, 7]);
    expect(await find({ tool: 'run', afterSeq: 4 })).toEqual([5, 7]);
    expect(await find({ sinceMs: 1_001, untilMs: 1_001 })).toEqual([3, 6]);
    expect(await find({ plugin: 'other' })).toEqual([]);
  });

  it('streams records from then on, until the signal aborts', async () => {
    const store = makeStore(fresh());
    const log = await openLog(store);
    const audit = makeAudit(store, log, never);
    const stop = new AbortController();
    const streamed = gather(audit.stream({ types: ['call-ended'] }, { signal: stop.signal }));
    for (const event of [...callEvents('a'), ...callEvents('b')]) log.listener(event);
    await audit.flush();
    stop.abort();
    expect((await streamed).map((record) => 'call' in record && record.call)).toEqual(['a', 'b']);
    await log.close();
  });

  it('has one writer at a time', async () => {
    const directory = fresh();
    const first = await openLog(makeStore(directory));
    const second = openLog(makeStore(directory));
    for (const event of callEvents('a')) first.listener(event);
    await first.close();
    await (await second).close();
    expect(await verify(makeStore(directory).read())).toMatchObject({ ok: true, records: 7 });
  });

  it('retries a failed write', async () => {
    const store = makeStore(fresh());
    let broken = true;
    const log = await openLog(
      {
        ...store,
        append: (records, durable) =>
          broken && records.length > 1
            ? Promise.reject(new Error('no space left'))
            : store.append(records, durable),
      },
      { onFailure: () => {} },
    );
    for (const event of callEvents('a')) log.listener(event);
    await expect(log.flush()).rejects.toThrow('no space left');
    broken = false;
    await log.flush();
    await log.close();
    expect(await verify(store.read())).toMatchObject({ ok: true, records: 5 });
  });

  it('drops events if its queue is full, and records their number', async () => {
    const store = makeStore(fresh());
    const log = await openLog(store, { maxQueuedRecords: 10 });
    const [event] = callEvents('a');
    for (let count = 0; count < 17; count += 1) {
      if (event !== undefined) log.listener(event);
    }
    await log.close();
    const lost = await gather(queryStore(store, { types: ['records-lost'] }));
    expect(lost).toMatchObject([{ count: 7 }]);
  });

  it('stores each record as canonical JSON, and the hash covers every byte', async () => {
    const store = makeStore(fresh());
    const log = await openLog(store);
    for (const event of callEvents('a')) log.listener(event);
    await log.close();
    const [, line] = (await gather(store.read())).map((stored) => stored.line);
    expect(unseal(line ?? '')).toMatchObject({ type: 'call-started', seq: 2 });
    expect(unseal((line ?? '').replace('"seq"', ' "seq"'))).toBe('changed');
    expect(unseal((line ?? '').replace('"call":"a"', '"call":"b"'))).toBe('changed');
  });
});
