import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import { queryStore } from '../../src/audit/query.js';
import { callEvents, freshDirectory, gather, openLog } from './logs.js';

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
