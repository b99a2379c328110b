import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CodeExecutor, codeExecutor } from '../../src/adapters/code-executor.js';
import { makePlugin, startEngine } from '../engine/plugin-on-disk.js';

describe('the executor for other code modes', () => {
  let executor: CodeExecutor;
  beforeAll(async () => {
    executor = await codeExecutor({ timeoutMs: 20_000 });
  });
  afterAll(() => executor.close());

  const fns = {
    'add-all': async (...numbers: unknown[]) => numbers.map(Number).reduce((a, b) => a + b, 0),
    echo: async (value: unknown) => value,
    fail: async () => {
      throw new RangeError('out of range');
    },
  };

  it('runs a function with the functions of a provider, and returns its value and its log', async () => {
    expect(
      await executor.execute(
        `async () => {
          const sums: number[] = await Promise.all([1, 2].map((one) => codemode.add_all(one, 10)));
          console.log('sums', sums);
          console.error(new Error('no'));
          return { sums, same: await codemode['add-all'](1, 2), none: await codemode.echo() };
        }`,
        fns,
      ),
    ).toEqual({
      result: { sums: [11, 12], same: 3 },
      logs: ['sums [11,12]', '[error] {}'],
    });
  });

  it('runs statements, and several providers, whose names may be those of an engine', async () => {
    const result = await executor.execute(
      'helper.twice = 2; return (await tools.echo(helper.twice)) + (await search.echo("!"));',
      [
        { name: 'tools', fns },
        { name: 'search', fns },
        { name: 'helper', fns: {}, prelude: 'helper.ready = true;' },
      ],
    );
    expect(result).toEqual({ result: '2!' });
  });

  it('passes on errors of functions and of the program, and never rejects', async () => {
    const failed = await executor.execute(
      `async () => { try { await codemode.fail(); } catch (error) { console.log(error.name); throw error; } }`,
      fns,
    );
    expect(failed).toEqual({ result: undefined, error: 'out of range', logs: ['RangeError'] });
    const wrong = await executor.execute('async () => { const = 1; }', fns);
    expect(wrong.error).toMatch(/program\.ts:1|line 1|Expected/);
    expect((await executor.execute('return 1', [{ name: 'a b', fns }])).error).toContain('a b');
    const twice = [
      { name: 'a', fns },
      { name: 'a', fns },
    ];
    expect((await executor.execute('return 1', twice)).error).toContain('one name');
    const circular = await executor.execute('const a = {}; a.a = a; return a;', fns);
    expect(circular.error).toBeTypeOf('string');
  });

  it('gives a program no other function, also not those of another program', async () => {
    let reached = false;
    const secret = async (): Promise<void> => {
      reached = true;
    };
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const other = executor.execute('await vault.wait(); return 1;', [
      { name: 'vault', fns: { secret, wait: () => held } },
    ]);
    const attacks = [
      `typeof tools`,
      `typeof search`,
      `typeof fetch`,
      `typeof describe`,
      `typeof text`,
      `(await host_.dispatch({ provider: 'vault', name: 'secret', args: [] }))`,
      `(await host_.dispatch({ provider: 'codemode', name: 'constructor', args: [] }))`,
      `(await host_.dispatch({ provider: '__proto__', name: 'toString', args: [] }))`,
      `(await host_.dispatch({ provider: 'codemode', name: '__proto__', args: [], run: 'run 1' }))`,
    ];
    const { result } = await executor.execute(
      `const seen = []; ${attacks.map((one) => `try { seen.push(${one}); } catch (error) { seen.push('refused'); }`).join('\n')} return seen;`,
      fns,
    );
    expect(result).toEqual([
      'undefined',
      'undefined',
      'undefined',
      'undefined',
      'undefined',
      ...['vault.secret', 'codemode.constructor', '__proto__.toString', 'codemode.__proto__'].map(
        (name) => JSON.stringify({ error: { message: `There is no function ${name}.` } }),
      ),
    ]);
    release();
    expect(await other).toEqual({ result: 1 });
    expect(reached).toBe(false);
  });

  it('ends a program that loops, and one whose caller gives up', async () => {
    const spec = { toolIds: [], dispatch: async () => null, timeout: 500 };
    const looped = await executor.run({ ...spec, program: 'while (true) {}' });
    expect(looped).toMatchObject({ success: false });
    const abort = new AbortController();
    const waiting = executor.run({
      program: 'await external_wait({}); return 1;',
      toolIds: ['wait'],
      dispatch: () => {
        abort.abort();
        return new Promise(() => {});
      },
      timeout: 20_000,
      abortSignal: abort.signal,
    });
    expect(await waiting).toMatchObject({ success: false });
  });

  it('runs a program of Mastra with its tools, and tells of each call', async () => {
    const seen: string[] = [];
    const result = await executor.run({
      program: `const [a, b] = await Promise.all([external_my_tool({ n: 1 }), external_my_tool({ n: 2 })]);
        try { await external_bad({}); } catch (error) { console.warn(error.message); }
        return a + b;`,
      toolIds: ['my-tool', 'bad'],
      dispatch: async (tool, args) => {
        if (tool === 'bad') throw new Error('not today');
        return (args as { readonly n: number }).n * 10;
      },
      timeout: 20_000,
      onExternalCall: (tool) => void seen.push(`call ${tool}`),
      onExternalResult: (tool, _ms, error) =>
        void seen.push(`${error === undefined ? 'done' : 'failed'} ${tool}`),
    });
    expect(result).toEqual({ success: true, result: 30, logs: ['[warn] not today'] });
    expect(seen.toSorted()).toEqual([
      'call bad',
      'call my-tool',
      'call my-tool',
      'done my-tool',
      'done my-tool',
      'failed bad',
    ]);
  });

  it('runs no call of an engine that needs approval and has none', async () => {
    const engine = await startEngine(
      [makePlugin({ id: 'mail', tools: { read: `() => 'one letter'`, send: `() => 'sent'` } })],
      { config: { mail: { requireApproval: { send: true } } } },
    );
    const call = (name: string) => async (input: unknown) => {
      const { isError, content } = await engine.call(name, input);
      const [{ text } = { text: '' }] = content;
      if (isError) throw new Error(text);
      return text;
    };
    const lent = { mail__read: call('mail:read'), mail__send: call('mail:send') };
    const { result } = await executor.execute(
      `async () => {
        const read = await codemode.mail__read({});
        try { return [read, await codemode.mail__send({})]; }
        catch (error) { return [read, error.message]; }
      }`,
      lent,
    );
    expect(result).toEqual(['one letter', expect.stringContaining('needs approval')]);
  });
});
