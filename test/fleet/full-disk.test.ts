import { beforeAll, describe, expect, it, vi } from 'vitest';
import type * as spentCalls from '../../src/fleet/spent-calls.js';
import { textOf } from '../../src/index.js';
import { type Cell, heardOf, makeCell } from './cell.js';
import { hasNats, startNats } from './nats-server.js';

const disk = vi.hoisted(() => ({ isFull: false }));

vi.mock('../../src/fleet/spent-calls.js', async (original) => {
  const { openSpentCalls } = await original<typeof spentCalls>();
  return {
    openSpentCalls: (directory: string, now: () => number): spentCalls.SpentCalls => {
      const calls = openSpentCalls(directory, now);
      return {
        ...calls,
        save: () => {
          if (disk.isFull) throw new Error('ENOSPC: no space left on device');
          calls.save();
        },
      };
    },
  };
});

const SAMPLE = {
  id: 'sample',
  permissions: { storage: true },
  tools: {
    put: "({ text }) => storage.write('note', text)",
    get: "() => storage.read('note')",
  },
};

describe.skipIf(!hasNats)('a runner whose disk is full', () => {
  let cell: Cell;
  beforeAll(async () => {
    cell = await makeCell((await startNats()).url, [SAMPLE]);
  });

  it('begins no call that it cannot note, and goes on when there is room', async () => {
    const gateway = await cell.gateway();
    const runner = await cell.runner();
    await heardOf(gateway, 'runner-1');
    await gateway.call('put', { text: 'before' });
    disk.isFull = true;
    const calls = [1, 2, 3].map(() => gateway.call('put', { text: 'not noted' }));
    for (const { code, content } of await Promise.all(calls)) {
      expect(code).toBe('FLEET_FAILED');
      expect(textOf(content)).toContain('cannot write to its state directory (ENOSPC');
    }
    expect(runner.callsUnderWay).toBe(0);
    disk.isFull = false;
    expect((await gateway.call('get', {})).value).toBe('before');
  });
});
