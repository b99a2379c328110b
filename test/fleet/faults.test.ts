import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Gateway } from '../../src/entry-points/fleet.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { type Cell, heardOf, makeCell } from './cell.js';
import { hasNats, type NatsServer, startNats } from './nats-server.js';
import { startRunnerProcess } from './runner-process.js';

const SAMPLE = {
  id: 'sample',
  tools: { echo: '(input) => input', hang: '() => new Promise(() => {})' },
};

describe.skipIf(!hasNats)('a fleet', () => {
  let nats: NatsServer;
  let cell: Cell;
  let gateway: Gateway;

  beforeAll(async () => {
    nats = await startNats();
    cell = await makeCell(nats.url, [SAMPLE]);
    gateway = await cell.gateway('gate-1', { idempotent: ['sample:hang'] });
  });

  it('reports a call of a killed runner as unknown, and runs it on another one if it may', async () => {
    const strict = await cell.gateway('gate-2');
    const killed = await startRunnerProcess(cell, 'killed');
    await Promise.all([heardOf(strict, 'killed'), heardOf(gateway, 'killed')]);
    const end = new AbortController();
    const lost = strict.call('hang', {});
    const moved = gateway.call('hang', {}, { signal: end.signal });
    await expect
      .poll(() => gateway.runners().find(({ name }) => name === 'killed')?.callsUnderWay)
      .toBe(2);
    const other = await cell.runner('other');
    await Promise.all([heardOf(strict, 'other'), heardOf(gateway, 'other')]);
    killed.kill('SIGKILL');
    expect(await lost).toMatchObject({ isError: true, code: 'CALL_UNKNOWN' });
    // The operator lists the tool as idempotent for this gateway alone.
    await expect.poll(() => other.callsUnderWay).toBe(1);
    end.abort();
    await moved;
    await strict.close();
    await other.close();
  });

  it('finishes its calls when an operator ends the runner', async () => {
    const machine = makeDirectory();
    const child = await startRunnerProcess(cell, 'ended', { machine });
    await heardOf(gateway, 'ended');
    expect((await gateway.call('echo', { a: 1 })).value).toEqual({ a: 1 });
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(readFileSync(join(machine, 'log'), 'utf8')).toContain('"msg":"stopped"');
  });

  it('takes no heartbeat of a runner that names another one', async () => {
    const connection = await connect({ servers: nats.url });
    const heartbeat = {
      runner: 'victim',
      instance: 'x',
      version: '0.1.0',
      artifacts: [],
      callsUnderWay: 0,
      maxCalls: 1,
      freeMemory: 1,
      leaving: false,
      hears: [],
      session: '',
      sessions: [],
    };
    connection.publish('bh.main.hb.liar', JSON.stringify(heartbeat));
    connection.publish('bh.main.hb.honest', JSON.stringify({ ...heartbeat, runner: 'honest' }));
    const names = (): readonly string[] => gateway.runners().map(({ name }) => name);
    await expect.poll(names).toContain('honest');
    expect(names()).not.toContain('victim');
    await connection.close();
  });

  it('fails calls at once while the server is down, and goes on when it is back', async () => {
    const runner = await cell.runner('survivor');
    await heardOf(gateway, 'survivor');
    await nats.kill();
    await expect
      .poll(async () => (await gateway.call('echo', {}, { timeoutMs: 100 })).content)
      .toMatchObject([{ text: expect.stringContaining('not connected to NATS') }]);
    await nats.restart();
    await expect.poll(async () => (await gateway.call('echo', { b: 2 })).value).toEqual({ b: 2 });
    await runner.close();
  });
});
