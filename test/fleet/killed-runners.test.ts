import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { afterEachFile } from '../tidying.js';
import { heardOf, makeCell } from './cell.js';
import { hasNats, startNats } from './nats-server.js';
import { startRunnerProcess } from './runner-process.js';

/** Calls of the run. `FLEET_CALLS=100000 npx vitest run --testTimeout 7200000 test/fleet/killed-runners.test.ts` is a long one. */
const CALLS = Number(process.env['FLEET_CALLS'] ?? 400);
const AT_ONCE = 16;
const KILLS = Math.max(2, Math.floor(CALLS / 2_000));

const HIT = {
  id: 'counter',
  permissions: { network: ['counter.example'] },
  tools: {
    hit: "async ({ n }) => (await fetch('http://counter.example/' + n)).status",
  },
};

describe.skipIf(!hasNats)('calls of a fleet whose runners are killed', () => {
  it('run at most once, and each ends with its result or says that it is not known', async () => {
    const hits = new Map<string, number>();
    const server = createServer((request, response) => {
      const n = (request.url ?? '').slice(1);
      hits.set(n, (hits.get(n) ?? 0) + 1);
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    afterEachFile(() => server.close());
    const { port } = server.address() as AddressInfo;
    const target = `http://127.0.0.1:${port}`;
    const words = [`--host-override=counter.example=${target}`];

    const { url } = await startNats();
    const cell = await makeCell(url, [HIT]);
    const gateway = await cell.gateway('gate-1', {
      network: { overrides: [{ host: 'counter.example', url: target }] },
    });
    const machines = ['runner-0', 'runner-1'].map((name) => ({ name, machine: makeDirectory() }));
    const start = ({ name, machine }: { name: string; machine: string }): Promise<ChildProcess> =>
      startRunnerProcess(cell, name, { machine, words });
    const runners = await Promise.all(machines.map(start));
    await heardOf(gateway, 'runner-0', 'runner-1');

    const outcomes = new Map<string, string>();
    let next = 0;
    const caller = async (): Promise<void> => {
      while (next < CALLS) {
        const n = String(next);
        next += 1;
        const { isError, code, value } = await gateway.call('hit', { n });

        outcomes.set(n, isError ? (code ?? 'error') : `ok ${JSON.stringify(value)}`);
      }
    };
    const killer = async (): Promise<void> => {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const due = ((kill + 1) * CALLS) / (KILLS + 1);
        await expect.poll(() => next >= due, { timeout: 150_000 }).toBe(true);
        const index = kill % machines.length;
        runners[index]?.kill('SIGKILL');
        const machine = machines[index];
        if (machine !== undefined) runners[index] = await start(machine);
      }
    };
    await Promise.all([killer(), ...Array.from({ length: AT_ONCE }, caller)]);

    expect(outcomes.size).toBe(CALLS);
    const wrong = [...outcomes].filter(([n, outcome]) => {
      const count = hits.get(n) ?? 0;
      if (outcome === 'ok 200') return count !== 1;
      if (outcome === 'CALL_UNKNOWN') return count > 1;
      return outcome !== 'FLEET_FAILED' || count > 0;
    });
    expect(wrong).toEqual([]);
    const succeeded = [...outcomes.values()].filter((outcome) => outcome === 'ok 200').length;
    expect(succeeded).toBeGreaterThanOrEqual(CALLS - KILLS * AT_ONCE);
    // The killed processes left whole records, and their successors continued the same chains.
    const logs = await gateway.verifyAudit();
    expect(logs.map(({ runner, verdict }) => [runner, verdict.ok])).toEqual(
      machines.map(({ name }) => [name, true]),
    );
  });
});
