import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openLockfile } from '../../src/entry-points/lock.js';
import { silentLogger } from '../engine/plugin-on-disk.js';
import { makeCache } from '../run-directory.js';
import { type Cell, heardOf, makeCell } from './cell.js';
import { hasNats, type NatsServer, startNats } from './nats-server.js';

const SAMPLE = {
  id: 'sample',
  permissions: { time: true, random: true },
  tools: { echo: '(input) => input', clock: '() => Date.now() > 0' },
};
const OTHER = { id: 'other', tools: { ping: "() => 'pong'" } };

describe.skipIf(!hasNats)('a revocation in a fleet', () => {
  let nats: NatsServer;
  let cell: Cell;
  beforeAll(async () => {
    nats = await startNats();
    cell = await makeCell(nats.url, [SAMPLE, OTHER]);
  });

  it('reaches the other gateways within a second, and outlives all of them', async () => {
    const first = await cell.gateway('first');
    const second = await cell.gateway('second');
    const runner = await cell.runner();
    await Promise.all([heardOf(first, 'runner-1'), heardOf(second, 'runner-1')]);
    expect((await second.call('clock', {})).value).toBe(true);
    await first.revoke('sample', 'time');
    await first.setEnabled('other', false);
    await expect.poll(async () => (await second.call('clock', {})).code).toBe('PERMISSION_REVOKED');
    await expect
      .poll(() => second.plugins().find(({ id }) => id === 'other')?.state)
      .toBe('inactive');
    await Promise.all([first.close(), second.close(), runner.close()]);

    await nats.kill();
    await nats.restart();
    const again = await cell.gateway('third');
    // A new runner has not heard of it, and gets it from the first statement.
    const fresh = await cell.runner('runner-2');
    await heardOf(again, 'runner-2');
    expect((await again.call('clock', {})).code).toBe('TIME_DENIED');
    expect((await again.call('echo', { a: 1 })).value).toEqual({ a: 1 });
    await expect(again.call('other:ping', {})).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' });
    await again.setEnabled('other', true);
    await expect.poll(async () => (await again.call('other:ping', {})).value).toBe('pong');
    await Promise.all([again.close(), fresh.close()]);
  });

  it('ends when the operator accepts other permissions in the lock file', async () => {
    const book = openLockfile(cell.lockFile, {
      plugins: [],
      cacheDirectory: makeCache(join(cell.root, 'cache')),
      logger: silentLogger,
      env: {},
    });
    const inspected = await book.inspect(join(cell.root, 'plugins', 'sample'));
    book.accept(inspected, { granted: { ...inspected.declared, random: false }, by: 'ada' });
    const gateway = await cell.gateway('fourth');
    const runner = await cell.runner('runner-3');
    await heardOf(gateway, 'runner-3');
    expect((await gateway.call('clock', {})).value).toBe(true);
    await Promise.all([gateway.close(), runner.close()]);
  });

  it('counts at once also if NATS cannot store it, and says that it would not last', async () => {
    const revoked: string[] = [];
    const gateway = await cell.gateway('fifth', {
      onEvent: (event) => {
        if (event.type === 'permission-changed') revoked.push(...event.permissions);
      },
    });
    await nats.kill();
    await expect(gateway.revoke('sample', 'time')).rejects.toThrow('would be lost');
    expect(revoked).toEqual(['time']);
    await nats.restart();
    await gateway.close();
  });
});
