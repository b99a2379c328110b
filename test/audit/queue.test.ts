import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import { queryStore } from '../../src/audit/query.js';
import { START } from '../../src/audit/chain.js';
import { makeQueue } from '../../src/audit/queue.js';
import { verify } from '../../src/audit/verify.js';
import { callEvents, freshDirectory, gather, openLog } from './logs.js';
import { newSigner } from './signed.js';

it('records that wait for a full disk are bounded in bytes, and the lost ones are counted', async () => {
  const store = makeJsonlStore(join(freshDirectory(), 'audit.jsonl'));
  let full = false;
  const log = await openLog(
    {
      ...store,
      append: (records, durable) =>
        full ? Promise.reject(new Error('no space left')) : store.append(records, durable),
    },
    { maxQueuedBytes: 1_000_000, onFailure: () => {} },
  );
  full = true;
  const input = JSON.stringify('x'.repeat(100_000));
  for (let call = 0; call < 50; call += 1)
    for (const event of callEvents(String(call), input)) log.listener(event);
  await expect(log.recorded(false)).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
  await expect(log.flush()).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
  full = false;
  // An effect whose record was among the lost ones does not happen, though the disk has room again.
  await expect(log.recorded(true)).rejects.toThrow('lost records');
  await log.recorded(true);
  await log.flush();
  const started = await gather(queryStore(store, { types: ['call-started'] }));
  // Each input takes 200,000 bytes.
  expect(started.length).toBe(4);
  const [lost] = await gather(queryStore(store, { types: ['records-lost'] }));
  expect(lost).toMatchObject({ count: expect.any(Number) as number });
  expect(lost?.type === 'records-lost' && lost.count).toBeGreaterThanOrEqual(46);
  // The queue is empty again.
  for (const event of callEvents('later', input)) log.listener(event);
  await log.flush();
  expect((await gather(queryStore(store, { types: ['call-started'] }))).length).toBe(5);
  await log.close();
});

describe('the queue of an audit log', () => {
  const [event] = callEvents('x');
  if (event === undefined) throw new Error('a call has events');
  const openQueue = (): ReturnType<typeof makeQueue> =>
    makeQueue({
      policy: { inputs: 'digest', redact: [] },
      head: () => START,
      maxQueuedRecords: 1_000,
      maxQueuedBytes: 10_000_000,
    });

  it('seals eight records a turn of the event loop, before they are written', async () => {
    const queue = openQueue();
    for (let n = 0; n < 20; n += 1) queue.offer(event);
    expect(queue.sealed).toBe(0);
    await setImmediate();
    expect(queue.sealed).toBe(8);
    await setImmediate();
    expect(queue.sealed).toBe(16);
    await setImmediate();
    expect(queue.sealed).toBe(16);
    const first = queue.sealFirst(20);
    expect(first.map(({ record }) => record.seq)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
    // A write that failed is tried again with the same records.
    expect(queue.sealFirst(20)).toEqual(first);
  });

  it('seals nothing while a record that was not queued is written', async () => {
    const queue = openQueue();
    for (let n = 0; n < 20; n += 1) queue.offer(event);
    await queue.holding(async () => {
      await setTimeout(5);
      expect(queue.sealed).toBe(0);
    });
  });

  it('leaves the records of a store that does not answer unsealed from the 504th on', async () => {
    const queue = openQueue();
    for (let n = 0; n < 900; n += 1) queue.offer(event);
    await setTimeout(50);
    await expect.poll(() => queue.sealed).toBe(504);
  });

  it('loses, repeats and exchanges no record, whatever the disk and the signer do', async () => {
    const turn = fc.record({
      calls: fc.integer({ min: 0, max: 15 }),
      failing: fc.boolean(),
      after: fc.constantFrom('nothing', 'a turn', 'a write', 'a flush', 'a checkpoint'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 12 }), async (turns) => {
        const directory = freshDirectory();
        const store = makeJsonlStore(join(directory, 'audit.jsonl'));
        let failing = false;
        const signer = newSigner(join(directory, 'keys'));
        const log = await openLog(
          {
            ...store,
            append: async (records, durable) => {
              await setImmediate();
              if (failing) throw new Error('no space left');
              await store.append(records, durable);
            },
          },
          {
            signer: {
              ...signer,
              sign: async (text) => {
                await setTimeout(1);
                return signer.sign(text);
              },
            },
            checkpointEvery: 7,
            onFailure: () => {},
          },
        );
        const sent: string[] = [];
        for (const { calls, failing: next, after } of turns) {
          failing = next;
          for (let n = 0; n < calls; n += 1) {
            const call = `c${sent.length}`;
            sent.push(call);
            for (const one of callEvents(call)) log.listener(one);
          }
          if (after === 'a turn') await setImmediate();
          if (after === 'a write') await setTimeout(12);
          if (after === 'a flush') await log.flush().catch(() => {});
          if (after === 'a checkpoint') await log.checkpoint().catch(() => {});
        }
        failing = false;
        await log.close();
        const started = await gather(queryStore(store, { types: ['call-started'] }));
        expect(started.map((record) => record.type === 'call-started' && record.call)).toEqual(
          sent,
        );
        expect(await verify(store.read(), { keys: [signer.publicKey] })).toMatchObject({
          ok: true,
          unattested: 0,
        });
      }),
      { numRuns: 40 },
    );
  });
});
