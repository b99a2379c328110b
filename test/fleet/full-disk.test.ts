import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../src/index.js';
import { type Cell, heardOf, makeCell } from './cell.js';
import { hasNats, startNats } from './nats-server.js';

const { writeSync } = fs;
let isFull = false;

/** Fails as on a full disk, for the file in which a runner notes its calls. */
function writeToDisk(...args: Parameters<typeof writeSync>): number {
  const [descriptor] = args;
  if (isFull && fs.readlinkSync(`/proc/self/fd/${descriptor}`).endsWith('/spent-calls')) {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }
  return writeSync(...args);
}

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
    fs.writeSync = writeToDisk as typeof writeSync;
    syncBuiltinESMExports();
    cell = await makeCell((await startNats()).url, [SAMPLE]);
  });

  afterAll(() => {
    fs.writeSync = writeSync;
    syncBuiltinESMExports();
  });

  it('begins no call that it cannot note, and goes on when there is room', async () => {
    const gateway = await cell.gateway();
    const runner = await cell.runner();
    await heardOf(gateway, 'runner-1');
    await gateway.call('put', { text: 'before' });
    isFull = true;
    const calls = [1, 2, 3].map(() => gateway.call('put', { text: 'not noted' }));
    for (const { code, content } of await Promise.all(calls)) {
      expect(code).toBe('FLEET_FAILED');
      expect(textOf(content)).toContain('cannot write to its state directory (ENOSPC');
    }
    expect(runner.callsUnderWay).toBe(0);
    isFull = false;
    expect((await gateway.call('get', {})).value).toBe('before');
  });
});
