import { beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../src/index.js';
import type { Gateway, Runner } from '../../src/entry-points/fleet.js';
import { type Cell, heardOf, makeCell } from './cell.js';
import { hasNats, startNats } from './nats-server.js';

const SAMPLE = {
  id: 'sample',
  tools: {
    echo: '(input) => input',
    size: '({ text }) => text.length',
    repeat: "({ times }) => 'x'.repeat(times)",
    fail: "() => { throw new Error('no luck') }",
    hang: '() => new Promise(() => {})',
    loop: '() => { for (;;) {} }',
  },
};

describe.skipIf(!hasNats)('a call through a gateway', () => {
  let cell: Cell;
  let gateway: Gateway;
  let runner: Runner;
  beforeAll(async () => {
    const { url } = await startNats();
    cell = await makeCell(url, [SAMPLE]);
    gateway = await cell.gateway();
    runner = await cell.runner();
    await heardOf(gateway, 'runner-1');
  });

  it('runs on the runner, which has the artifact by its hash alone', async () => {
    expect(runner.problems()).toEqual([]);
    const result = await gateway.call('echo', { a: [1, { b: null }] });
    expect(result.value).toEqual({ a: [1, { b: null }] });
  });

  it('fails as in the engine', async () => {
    const result = await gateway.call('fail', {});
    expect(result).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
    expect(textOf(result.content)).toContain('no luck');
  });

  it('passes large inputs and results on by reference', async () => {
    const text = 'é'.repeat(600_000);
    expect((await gateway.call('size', { text })).value).toBe(600_000);
    const result = await gateway.call('repeat', { times: 700_000 });
    expect(result).toMatchObject({ isError: false });
    expect(result.value).toHaveLength(700_000);
  });

  it('ends at the deadline, and the runner goes on', async () => {
    const [hung, looped] = await Promise.all([
      gateway.call('hang', {}, { timeoutMs: 300 }),
      gateway.call('loop', {}, { timeoutMs: 300 }),
    ]);
    expect(hung.code).toBe('DEADLINE_EXCEEDED');
    expect(looped.code).toBe('DEADLINE_EXCEEDED');
    expect((await gateway.call('echo', { still: 'here' })).value).toEqual({ still: 'here' });
  });

  it('is stopped on the runner when the caller gives up', async () => {
    const end = new AbortController();
    const call = gateway.call('hang', {}, { signal: end.signal });
    await expect.poll(() => runner.callsUnderWay).toBe(1);
    end.abort();
    expect((await call).code).toBe('CANCELLED');
    await expect.poll(() => runner.callsUnderWay).toBe(0);
  });
});
