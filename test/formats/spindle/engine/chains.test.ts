import { describe, expect, it } from 'vitest';
import type { Engine, EngineOptions } from '../../../../src/index.js';
import { makeExtension, registering } from '../../../engine/extension-on-disk.js';
import { startEngine } from '../../../engine/plugin-on-disk.js';

const start = (
  sources: Readonly<Record<string, string>>,
  permissions: readonly string[] = ['interceptor', 'context_handler'],
  options: Partial<EngineOptions> = {},
  manifest: object = {},
): Promise<Engine> =>
  startEngine(
    Object.entries(sources).map(([identifier, source]) =>
      makeExtension({ identifier, source, permissions, manifest }),
    ),
    options,
  );

const adds = (text: string, priority: number, more = ''): string =>
  `spindle.registerInterceptor(async (messages, context) => {
     ${more}
     return [...messages, { role: 'system', content: ${JSON.stringify(text)} + (context.kind ?? '') }];
   }, ${priority});`;

const messages = [{ role: 'user', content: 'hello' }];
const textsOf = (list: readonly object[]): unknown[] =>
  list.map((message) => Reflect.get(message, 'content'));

describe('interceptors', () => {
  it('change a generation one after the other, lowest priority first', async () => {
    const engine = await start({
      late: adds('late ', 200),
      early: adds('early ', 5),
      middle: `${adds('replaced ', 1)} ${adds('middle ', 100)}`,
    });
    const { messages: after, steps } = await engine.spindle.intercept({
      messages,
      context: { kind: 'normal' },
    });
    expect(textsOf(after)).toEqual(['hello', 'early normal', 'middle normal', 'late normal']);
    expect(steps.map(({ plugin, outcome }) => [plugin, outcome])).toEqual([
      ['early', 'changed'],
      ['middle', 'changed'],
      ['late', 'changed'],
    ]);
  });

  it('that fail, answer nonsense or time out change nothing, and do not affect others', async () => {
    const engine = await start(
      {
        a_throws: adds('never', 1, 'throw new Error("boom")'),
        b_hangs: adds('never', 2, 'await new Promise(() => {})'),
        c_odd: `spindle.registerInterceptor(() => ({ messages: ['no message'] }), 3);`,
        d_loops: adds('never', 4, 'for (;;) ;'),
        e_works: adds('works', 5),
      },
      ['interceptor'],
      {},
      { interceptorTimeoutMs: 1_000 },
    );
    const { messages: after, steps } = await engine.spindle.intercept({ messages });
    expect(textsOf(after)).toEqual(['hello', 'works']);
    expect(steps.map(({ plugin, outcome }) => [plugin, outcome])).toEqual([
      ['a_throws', 'failed'],
      ['b_hangs', 'timed-out'],
      ['c_odd', 'unchanged'],
      ['d_loops', 'timed-out'],
      ['e_works', 'changed'],
    ]);
    // Who hung was stopped, and is there again.
    expect(
      (await engine.spindle.intercept({ messages: [] })).steps.map(({ plugin }) => plugin),
    ).toContain('b_hangs');
  });

  it('set parameters only with the permission', async () => {
    const source = `spindle.registerInterceptor((messages) => ({ messages, parameters: { temperature: 2 }, breakdown: [{ name: 'me' }], other: 1 }));`;
    const may = await start({ ext: source }, ['interceptor', 'generation_parameters']);
    expect(await may.spindle.intercept({ messages })).toMatchObject({
      parameters: { temperature: 2 },
      breakdown: [{ plugin: 'ext', breakdown: [{ name: 'me' }] }],
    });
    const mayNot = await start({ ext: source }, ['interceptor']);
    expect((await mayNot.spindle.intercept({ messages })).parameters).toEqual({});
  });

  it('are removed with their permission, and return with it', async () => {
    const engine = await start({ ext: adds('mine', 1) });
    expect((await engine.spindle.intercept({ messages })).steps).toHaveLength(1);
    await engine.revoke('ext', 'interceptor');
    expect((await engine.spindle.intercept({ messages })).steps).toEqual([]);
  });

  it('of another user’s extension are passed over', async () => {
    const engine = await start({ ext: adds('mine', 1) }, ['interceptor'], {
      config: { ext: { installedFor: 'ann' } },
    });
    const stepsFor = async (userId: string): Promise<number> =>
      (await engine.spindle.intercept({ messages, userId })).steps.length;
    expect([await stepsFor('ann'), await stepsFor('bob')]).toEqual([1, 0]);
  });

  it('end with their generation', async () => {
    const engine = await start({
      hangs: `${registering('told')} ${adds('never', 1, 'await new Promise((_, reject) => context.signal.addEventListener("abort", () => reject(new Error("aborted"))))')}`,
      next: adds('next', 2),
    });
    const controller = new AbortController();
    const intercepting = engine.spindle.intercept({ messages, signal: controller.signal });
    setTimeout(() => controller.abort(new Error('given up')), 300);
    await expect(intercepting).rejects.toThrow('given up');
  });
});

describe('context handlers', () => {
  it('change a context, and may cancel the generation', async () => {
    const engine = await start({
      first: `spindle.registerContextHandler((context) => ({ ...context, seen: ['first'] }), 1);`,
      second: `spindle.registerContextHandler((context) => ({ ...context, seen: [...context.seen, 'second'], cancelGeneration: context.stop }), 2);`,
      third: `spindle.registerContextHandler((context) => ({ ...context, seen: [...context.seen, 'third'] }), 3);`,
    });
    const { context, cancelledBy } = await engine.spindle.handleContext({ context: { a: 1 } });
    expect(context).toEqual({ a: 1, seen: ['first', 'second', 'third'] });
    expect(cancelledBy).toBeUndefined();
    const stopped = await engine.spindle.handleContext({ context: { stop: true } });
    expect(stopped).toMatchObject({ cancelledBy: 'second', context: { seen: ['first'] } });
    expect(stopped.steps).toHaveLength(2);
  });
});
