import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine, EngineOptions, Rule } from '../../../src/index.js';
import { makeDirectory, makePlugin, startEngine } from '../plugin-on-disk.js';

const source = `export const tools = [
  { id: 'read', name: 'n', description: 'd', annotations: { readOnlyHint: true },
    execute: async () => (await fetch('https://a.example/x')).text() },
  { id: 'change', name: 'n', description: 'd', annotations: { readOnlyHint: false, destructiveHint: false },
    execute: () => 1 },
];`;

const clear = (host: string, more: Partial<Rule> = {}): Omit<Rule, 'id'> => ({
  verdict: 'allow',
  plugin: '*',
  tool: '*',
  bundle: '*',
  effect: { host, method: 'GET' },
  ...more,
});

const verdictOf = (engine: Engine, tool: string): string => engine.previewCall(tool, {}).verdict;

describe('a call that is proven to only read', () => {
  const answer = () => new Response('{}');
  const asked: string[] = [];
  const start = (options: Partial<EngineOptions> = {}): Promise<Engine> =>
    startEngine(
      [
        makePlugin({ id: 'one', source, permissions: { network: ['a.example'] } }),
        makePlugin({ id: 'two', source, permissions: { network: ['a.example', 'b.example'] } }),
        makePlugin({ id: 'wide', source, permissions: { network: ['*.a.example'] } }),
        makePlugin({
          id: 'files',
          source,
          permissions: { network: ['a.example'], fs: [`${makeDirectory()}:rw`] },
        }),
        makePlugin({
          id: 'asks',
          source,
          permissions: { network: ['a.example'] },
          entry: { requireApproval: true },
        }),
      ],
      {
        tolerance: 'default',
        network: { answer },
        approve: ({ id }) => {
          asked.push(id);
          return 'deny';
        },
        ...options,
      },
    );
  let engine: Engine;
  beforeAll(async () => {
    engine = await start();
  });

  it('runs without a question when rules clear all hosts of its plugin, and is recorded', async () => {
    expect(verdictOf(engine, 'one:read')).toBe('ask');
    const { id } = engine.rules.add(clear('a.example'));
    const given: unknown[] = [];
    const stop = engine.on((event) => event.type === 'approval-given' && given.push(event));
    expect(engine.previewCall('one:read', {})).toMatchObject({
      verdict: 'run',
      reason: expect.stringContaining('only reads'),
    });
    expect((await engine.call('one:read', {})).isError).toBe(false);
    stop();
    expect(given).toMatchObject([{ tool: 'read', approver: 'rule', rule: id }]);
    expect(asked).toEqual([]);
    // What is not proven still asks.
    const others = ['one:change', 'two:read', 'wide:read', 'files:read', 'asks:read'];
    expect(others.filter((tool) => verdictOf(engine, tool) !== 'ask')).toEqual([]);
    engine.rules.add(clear('b.example', { tenant: 'acme' }));
    expect(verdictOf(engine, 'two:read')).toBe('ask');
    engine.rules.add(clear('b.example'));
    expect(verdictOf(engine, 'two:read')).toBe('run');
    engine.rules.add({ verdict: 'deny', plugin: 'one', tool: 'read' });
    expect(verdictOf(engine, 'one:read')).toBe('deny');
  });

  it.each([{ effects: 'audit' }, { tolerance: 'strict' }] as const)(
    'is asked about with %j',
    async (options) => {
      const other = await start(options);
      other.rules.add(clear('a.example'));
      expect(verdictOf(other, 'one:read')).toBe('ask');
      await other.close();
    },
  );
});
