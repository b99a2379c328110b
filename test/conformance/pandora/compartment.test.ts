/**
 * What a Pandora plugin's author relies on, run end to end: manifest, bundle, guest, brokers, result.
 * Each title begins with its row in the acceptance table of Pandora's contract; rows about reading
 * manifests and configuration alone (S, D, V, N, T1–T3) are tested in `test/formats/pandora`.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/index.js';
import { makePlugin, startEngine } from '../../engine/plugin-on-disk.js';
import { caught } from './caught.js';

describe('a compartment', () => {
  const tools = {
    arrow: 'async ({ n }) => n + 1',
    declared: 'async function run({ n }) { return n + 1 }',
    exit: caught('process.exit()'),
    process:
      '() => [typeof globalThis.process, Object.keys(process.env), typeof process.mainModule]',
    binding: caught("process.binding('fs')"),
    kill: caught('process.kill(process.ppid)'),
    require: caught("require(['f', 's'].join(''))"),
    fetch: '() => typeof fetch',
    classes: '() => new (class A { x = 1; get y() { return 2 } })()',
    functions: '() => ({ a: () => 1, b: 1 })',
    circular: '() => { const a = []; a.push(a); return a }',
    undefined: '() => {}',
    large: "() => ({ text: 'x'.repeat(1024 * 1024) })",
    pollute: caught('Object.assign(Object.prototype, { polluted: 1 })'),
    polluted: '() => ({}).polluted ?? null',
    import: caught("import(['node', 'fs'].join(':'))"),
    globals:
      "() => ['Buffer', 'global', 'setImmediate', 'WebSocket', 'crypto', 'document'].map((name) => typeof globalThis[name])",
    fail: "() => { throw new TypeError('no such city') }",
    stack: '() => { try { null.x } catch (error) { return error.stack } }',
    frozen:
      '() => [Array.prototype, Object.prototype, Function.prototype, Promise].map(Object.isFrozen)',
    mark: '() => { globalThis.mark = 1; return globalThis.mark }',
    marked: '() => typeof globalThis.mark',
  };
  let engine: Engine;
  const value = async (tool: string, input: unknown = {}): Promise<unknown> =>
    (await engine.call(tool, input)).value;

  beforeAll(async () => {
    engine = await startEngine([
      makePlugin({ id: 'one', tools }),
      makePlugin({ id: 'two', tools: { other: tools.marked, spoiled: tools.polluted } }),
    ]);
  });

  it('P-C1, P-C2: runs async functions and arrows on the input, and answers their results', async () => {
    expect(await value('arrow', { n: 1 })).toBe(2);
    expect(await value('declared', { n: 2 })).toBe(3);
  });

  it('P-C3: has no process, and what stands in for it in bundled code has no power', async () => {
    expect(await value('process')).toEqual(['undefined', [], 'undefined']);
    for (const tool of ['exit', 'binding', 'kill']) {
      expect(await value(tool)).toMatch(/^threw .*refused to plugins/);
    }
  });

  it('P-C4: requires nothing that was not bundled', async () => {
    expect(await value('require')).toMatch(/^threw /);
  });

  it('P-C5: has no fetch unless a host is declared', async () => {
    expect(await value('fetch')).toBe('undefined');
  });

  it('P-C6: output is JSON, with prototypes stripped', async () => {
    expect(await value('classes')).toEqual({ x: 1 });
  });

  it('P-C7: functions in the output are left out', async () => {
    expect(await value('functions')).toEqual({ b: 1 });
  });

  it('P-C8: circular output is an error', async () => {
    expect((await engine.call('circular', {})).code).toBe('RESULT_INVALID');
  });

  it('P-C9: undefined becomes null', async () => {
    expect(await value('undefined')).toBeNull();
  });

  it('P-C10: output over 1 MB is refused', async () => {
    expect((await engine.call('large', {})).code).toBe('RESULT_TOO_LARGE');
  });

  it('P-C11: a value that is not a function is not a tool, and other tools stay', async () => {
    const directory = makePlugin({
      id: 'half',
      source: `const base = { name: 'n', description: 'd', annotations: { readOnlyHint: true } };
        export const tools = [{ ...base, id: 'text', execute: 'return 1' }, { ...base, id: 'good', execute: () => 1 }];`,
    });
    const half = await startEngine([directory]);
    expect(half.catalog.list().map(({ tool }) => tool)).toEqual(['good']);
    expect(half.plugins()[0]?.problems).toMatchObject([{ code: 'INVALID_TOOL' }]);
  });

  it('P-C12, P-C13, P-C18: shares neither globals nor polluted prototypes with another plugin', async () => {
    expect(await value('mark')).toBe(1);
    expect(await value('other')).toBe('undefined');
    expect(await value('pollute')).toMatch(/^threw /);
    expect(await value('polluted')).toBeNull();
    expect(await value('spoiled')).toBeNull();
  });

  it('P-C14: import() of what was not bundled is refused', async () => {
    expect(await value('import')).toMatch(/^threw .*bundled/);
  });

  it('P-C15: has none of the host’s globals', async () => {
    // Hashes need no permission. `crypto` has no randomness for Pandora's plugins.
    expect(await value('globals')).toEqual([
      ...Array.from({ length: 4 }, () => 'undefined'),
      'object',
      'undefined',
    ]);
  });

  it('P-C16, P-B2: an error reaches the caller as its message, without internals', async () => {
    const result = await engine.call('fail', {});
    expect(result.content).toEqual([{ type: 'text', text: 'no such city' }]);
    expect(await value('stack')).toBe('');
  });

  it('P-C17: intrinsics are frozen', async () => {
    expect(await value('frozen')).toEqual([true, true, true, true]);
  });
});
