import { beforeAll, describe, expect, it } from 'vitest';
import type { BulkheadEvent, Engine } from '../../../src/index.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

const TOOLS = {
  echo: '(input) => input',
  fail: "() => { throw new RangeError('out of it') }",
  hang: '() => new Promise(() => {})',
  loop: '() => { for (;;); }',
  polite:
    "(input, { signal }) => new Promise((resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))",
  count: '(() => { let n = 0; return () => ++n })()',
  heap: '() => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)) }',
  buffers: '() => { const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1)) }',
  sleep: '({ ms }) => new Promise((resolve) => setTimeout(() => resolve(ms), ms))',
  circle: '() => { const a = {}; a.a = a; return a }',
  large: "() => 'x'.repeat(2_000_000)",
  nothing: '() => undefined',
  odd: '() => ({ f: () => 1, u: undefined, d: new Date(0), n: NaN, s: Symbol.iterator })',
};

describe('a call', () => {
  let engine: Engine;
  const events: BulkheadEvent[] = [];
  beforeAll(async () => {
    engine = await startEngine([makePlugin({ tools: TOOLS })], {
      limits: { pool: 1, maxCallsPerPlugin: 4, maxQueuedPerPlugin: 0 },
      onEvent: (event) => events.push(event),
    });
  });

  it('answers with what the tool returned, as a copy', async () => {
    const input = { a: [1, { b: 'ü' }] };
    const result = await engine.call('echo', input);
    expect(result).toMatchObject({ isError: false, value: input });
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(input) }]);
  });

  it('takes the tool by exported name, by id, and by bare name', async () => {
    for (const name of ['sample__echo', 'sample:echo', 'echo']) {
      expect((await engine.call(name, { x: 1 })).value).toEqual({ x: 1 });
    }
  });

  it('of a tool that does not exist throws, and says what is near', async () => {
    await expect(engine.call('ecko', {})).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: expect.stringContaining('echo'),
    });
  });

  it('of a tool that throws is an error with its message, and its source line in the event', async () => {
    const result = await engine.call('fail', {});
    expect(result).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
    expect(result.content[0]?.text).toBe('out of it');
    const ended = events.findLast((event) => event.type === 'call-ended' && event.tool === 'fail');
    expect(ended).toMatchObject({ stack: expect.stringContaining('index.ts:2:') });
    expect(JSON.stringify(ended)).not.toContain('/tmp');
  });

  it('with nothing returned has the value null', async () => {
    expect(await engine.call('nothing', {})).toMatchObject({ isError: false, value: null });
  });

  it('returns what JSON can say of an odd value', async () => {
    expect((await engine.call('odd', {})).value).toEqual({
      d: '1970-01-01T00:00:00.000Z',
      n: null,
    });
  });

  it.each([
    ['circle', 'RESULT_INVALID'],
    ['large', 'RESULT_TOO_LARGE'],
  ])('that returns a %s is an error of its own', async (tool, code) => {
    expect(await engine.call(tool, {})).toMatchObject({ isError: true, code });
  });

  it('is stopped at its deadline, though it only waits, and the next call succeeds', async () => {
    const result = await engine.call('hang', {}, { timeoutMs: 100 });
    expect(result).toMatchObject({ isError: true, code: 'DEADLINE_EXCEEDED' });
    expect((await engine.call('echo', { x: 1 })).value).toEqual({ x: 1 });
  });

  it('that loops is killed with its guest, and the next call gets another', async () => {
    const before = events.filter((event) => event.type === 'guest-ended').length;
    const result = await engine.call('loop', {}, { timeoutMs: 200 });
    expect(result).toMatchObject({ isError: true, code: 'DEADLINE_EXCEEDED' });
    expect((await engine.call('echo', { x: 2 })).value).toEqual({ x: 2 });
    await expect
      .poll(() => events.filter((event) => event.type === 'guest-ended').length)
      .toBeGreaterThan(before);
  });

  it('that stops on request keeps its guest alive', async () => {
    const patient = await startEngine([makePlugin({ tools: TOOLS })], {
      limits: { graceMs: 10_000 },
    });
    const first = Number((await patient.call('count', {})).value);
    const result = await patient.call('polite', {}, { timeoutMs: 100 });
    expect(result.code).toBe('DEADLINE_EXCEEDED');
    // A busy machine takes a while to tell it so.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await patient.call('count', {})).value).toBe(first + 1);
  });

  it('that its caller gives up is cancelled', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const result = await engine.call('hang', {}, { signal: controller.signal });
    expect(result).toMatchObject({ isError: true, code: 'CANCELLED' });
  });

  it('that was given up before it began does not run', async () => {
    const before = Number((await engine.call('count', {})).value);
    const result = await engine.call('count', {}, { signal: AbortSignal.abort() });
    expect(result.code).toBe('CANCELLED');
    expect((await engine.call('count', {})).value).toBe(before + 1);
  });

  it('that a listener cancels in its event does not run', async () => {
    const before = Number((await engine.call('count', {})).value);
    const controller = new AbortController();
    const off = engine.on(({ type }) => {
      if (type === 'call-started') controller.abort();
    });
    const result = await engine.call('count', {}, { signal: controller.signal });
    off();
    expect(result.code).toBe('CANCELLED');
    expect((await engine.call('count', {})).value).toBe(before + 1);
  });

  it('runs beside other calls of its plugin, up to a cap', async () => {
    const results = await Promise.all(
      Array.from({ length: 6 }, () => engine.call('sleep', { ms: 200 })),
    );
    expect(results.map(({ code }) => code ?? 'ok')).toEqual([
      'ok',
      'ok',
      'ok',
      'ok',
      'BUSY',
      'BUSY',
    ]);
  });

  it.each([
    ['heap', ['GUEST_OUT_OF_MEMORY']],
    // The allocation is refused, which the tool may catch; what V8 itself needs then may be, too.
    ['buffers', ['TOOL_FAILED', 'GUEST_OUT_OF_MEMORY']],
  ])('that fills its memory with %s ends alone, and the next succeeds', async (tool, codes) => {
    const { isError, code } = await engine.call(tool, {});
    expect(isError).toBe(true);
    expect(codes).toContain(code);
    expect((await engine.call('echo', { x: 3 })).value).toEqual({ x: 3 });
  });

  it('with an input that is not JSON throws before anything runs', async () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    await expect(engine.call('echo', circle)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    await expect(engine.call('echo', () => 1)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  });

  it('with a context that is not JSON also throws, and occupies no slot', async () => {
    const context = { size: 1n } as never;
    // As many as have a place: each would else hold its own until its deadline.
    for (let call = 0; call < 5; call += 1) {
      await expect(engine.call('echo', {}, { context })).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        details: { option: 'context' },
      });
    }
    expect((await engine.call('echo', { x: 4 })).value).toEqual({ x: 4 });
  });
});

describe('closing the engine', () => {
  it('answers calls under way, and refuses later ones', async () => {
    const engine = await startEngine([makePlugin({ tools: TOOLS })]);
    const under = engine.call('hang', {});
    await new Promise((resolve) => setTimeout(resolve, 300));
    await engine.close();
    expect(await under).toMatchObject({ isError: true, code: 'ENGINE_CLOSED' });
    await expect(engine.call('echo', {})).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    await engine.close();
  });

  it('leaves no guest behind', async () => {
    const pids: number[] = [];
    const engine = await startEngine([makePlugin({ tools: TOOLS })], {
      onEvent: (event) => {
        if (event.type === 'guest-started') pids.push(event.pid);
      },
    });
    await engine.call('echo', {});
    await engine.close();
    expect(pids).not.toEqual([]);
    const isAlive = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await expect.poll(() => pids.some(isAlive)).toBe(false);
  });
});
