import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/index.js';
import { runFake } from '../cli/fake.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { heardOf, makeCell } from './cell.js';
import { hasNats, startNats } from './nats-server.js';
import { startRunnerProcess } from './runner-process.js';

const SAMPLE = {
  id: 'sample',
  permissions: { storage: true },
  tools: {
    put: "({ text }) => storage.write('note', text)",
    get: "() => storage.read('note')",
  },
};

describe.skipIf(!hasNats)('bulkhead runner --config', () => {
  it('isolates plugins as the configuration of the gateways says, and is refused without it', async () => {
    const cell = await makeCell((await startNats()).url, [SAMPLE]);
    const isolation = { sample: 'tenant' } as const;
    const gateway = await cell.gateway('gate-1', { isolation });
    const without = await startRunnerProcess(cell, 'without');
    await heardOf(gateway, 'without');
    const refused = await gateway.call('put', { text: 'a' }, { tenant: 'ada' });
    expect(refused.code).toBe('FLEET_FAILED');
    expect(textOf(refused.content)).toContain(
      'isolates the calls of sample by tenant, and this runner by plugin',
    );
    without.kill('SIGTERM');
    await expect.poll(() => without.exitCode, { timeout: 20_000 }).toBe(0);
    const machine = makeDirectory();
    const config = join(machine, 'bulkhead.config.json');
    const storageDirectory = join(machine, 'storage');
    writeFileSync(config, JSON.stringify({ isolation, storageDirectory }));
    await startRunnerProcess(cell, 'with', { machine, words: [`--config=${config}`] });
    await heardOf(gateway, 'with');
    for (const tenant of ['bob', 'carol']) {
      const { code } = await gateway.call('put', { text: tenant }, { tenant });
      expect(code).toBeUndefined();
    }
    for (const tenant of ['bob', 'carol']) {
      expect((await gateway.call('get', {}, { tenant })).value).toBe(tenant);
    }
  });
});

describe('bulkhead runner', () => {
  it('does not start without its lock file, and says where it comes from', async () => {
    const words =
      '--server nats://127.0.0.1:1 --name r --gateway-key g.pub --state s --lock x.json';
    const { code, stderr } = await runFake(['runner', ...words.split(' ')], { environment: {} });
    expect(stderr.text).toContain('the lock file x.json does not exist; copy it from a gateway');
    expect(code).toBe(1);
  });
});
