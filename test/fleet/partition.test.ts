import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/index.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { heardOf, makeCell } from './cell.js';
import { hasNats, startNats } from './nats-server.js';
import { startRunnerProcess } from './runner-process.js';

const SAMPLE = {
  id: 'sample',
  tools: {
    echo: '(input) => input',
    size: '({ text }) => text.length',
    hang: '() => new Promise(() => {})',
  },
};
const REMOTE = {
  id: 'remote',
  permissions: { network: ['api.example.com'] },
  tools: { change: "() => 'changed'" },
};

describe.skipIf(!hasNats)('a fleet whose server does not answer', () => {
  it('stops calls on the runner, reports them, and goes on when the server is back', async () => {
    const nats = await startNats();
    const cell = await makeCell(nats.url, [SAMPLE]);
    const gateway = await cell.gateway();
    const runner = await cell.runner();
    await heardOf(gateway, 'runner-1');
    const hung = gateway.call('hang', {}, { timeoutMs: 60_000 });
    await expect.poll(() => runner.callsUnderWay).toBe(1);
    nats.process.kill('SIGSTOP');
    // The connection is open, and nothing arrives: the runner cannot know what was revoked.
    await expect.poll(() => runner.callsUnderWay, { timeout: 20_000 }).toBe(0);
    expect(runner.state).toBe('deaf');
    nats.process.kill('SIGCONT');
    expect((await hung).code).toMatch(/^(CANCELLED|CALL_UNKNOWN)$/);
    await expect
      .poll(async () => (await gateway.call('echo', { b: 2 })).value, { timeout: 20_000 })
      .toEqual({ b: 2 });
    await expect.poll(async () => (await gateway.verifyAudit())[0]?.verdict.ok).toBe(true);
  });

  it('goes on after the server has dropped a runner that reads too slowly', async () => {
    const nats = await startNats('max_pending: 1MB\nwrite_deadline: "1s"');
    const cell = await makeCell(nats.url, [SAMPLE]);
    const gateway = await cell.gateway('gate-1');
    const child = await startRunnerProcess(cell, 'slow');
    await heardOf(gateway, 'slow');
    child.kill('SIGSTOP');
    const text = 'x'.repeat(400_000);
    const calls = Array.from({ length: 30 }, () =>
      gateway.call('size', { text }, { timeoutMs: 20_000 }),
    );
    const results = await Promise.all(calls);
    expect(results.filter(({ isError, value }) => !isError && value !== text.length)).toEqual([]);
    const codes = new Set(results.filter(({ isError }) => isError).map(({ code }) => code));
    // No call is lost without a word.
    expect(
      [...codes].filter((code) => !/^(CALL_UNKNOWN|FLEET_FAILED|BUSY)$/.test(code ?? '')),
    ).toEqual([]);
    expect(codes.size).toBeGreaterThan(0);
    child.kill('SIGCONT');
    await expect
      .poll(async () => (await gateway.call('size', { text: 'again' })).value, { timeout: 30_000 })
      .toBe(5);
  });
});

describe.skipIf(!hasNats)('a fleet whose JetStream has no disk left', () => {
  it('refuses what it cannot record or pass on, runs the rest, and goes on when there is room', async () => {
    const { url } = await startNats('', {}, 'max_file_store: 6MB');
    const cell = await makeCell(url, [SAMPLE, REMOTE]);
    const gateway = await cell.gateway();
    await cell.runner();
    await heardOf(gateway, 'runner-1');
    expect((await gateway.call('change', {})).value).toBe('changed');
    const connection = await connect({ servers: url });
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'junk', subjects: ['junk'] });
    const fill = async (): Promise<void> => {
      for (let bytes = 512 * 1024; bytes >= 64; bytes /= 2) {
        for (;;) {
          const reply = await connection.request('junk', new Uint8Array(bytes), { timeout: 5_000 });
          if (reply.json<{ error?: object }>().error !== undefined) break;
        }
      }
    };
    await fill();
    const refused = await gateway.call('change', {});
    expect(refused).toMatchObject({ isError: true, code: 'AUDIT_FAILED' });
    const large = await gateway.call('size', { text: 'x'.repeat(700_000) });
    expect(large).toMatchObject({ isError: true, code: 'FLEET_FAILED' });
    expect(textOf(large.content)).toContain('NATS did not store it');
    expect((await gateway.call('echo', { a: 1 })).value).toEqual({ a: 1 });
    await manager.streams.delete('junk');
    await expect.poll(async () => (await gateway.call('change', {})).value).toBe('changed');
    expect((await gateway.call('size', { text: 'x'.repeat(700_000) })).value).toBe(700_000);
    expect((await gateway.verifyAudit())[0]?.verdict.ok).toBe(true);
    await connection.close();
  });
});

describe.skipIf(!hasNats)('the metrics of a runner', () => {
  it('are served for the token to view alone', async () => {
    const nats = await startNats();
    const cell = await makeCell(nats.url, [SAMPLE]);
    const gateway = await cell.gateway();
    const machine = makeDirectory();
    await startRunnerProcess(cell, 'metered', {
      machine,
      words: ['--metrics=127.0.0.1:0', '--max-calls=7'],
      env: { BULKHEAD_VIEW_TOKEN: 'a-token-to-view-with' },
    });
    await heardOf(gateway, 'metered');
    await gateway.call('echo', {});
    const url = /http:[^"]*metrics/.exec(readFileSync(join(machine, 'log'), 'utf8'))?.[0] ?? '';
    expect((await fetch(url)).status).toBe(401);
    const response = await fetch(url, {
      headers: { authorization: 'Bearer a-token-to-view-with' },
    });
    const text = await response.text();
    expect(text).toContain('bulkhead_fleet_runner_max_calls{runner="metered"} 7');
    expect(text).toContain('bulkhead_fleet_runners{state="ready"} 1');
    expect(text).toMatch(/bulkhead_calls_total\{[^}]*tool="echo"[^}]*\} 1/);
  });
});
