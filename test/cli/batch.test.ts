import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/run.js';
import { type FakeCapabilities, fakeCapabilities, type FakeSpec } from './fake.js';

async function batch(stdin: string, spec: FakeSpec = {}, ...argv: string[]) {
  const capabilities: FakeCapabilities = fakeCapabilities({ ...spec, stdin });
  const code = await runCli(['batch', ...argv], '1', capabilities);
  const answers: unknown[] = capabilities.stdout.text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  return { capabilities, code, answers };
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;

describe('bulkhead batch', () => {
  it('answers each line in order and echoes its id', async () => {
    const { answers, code } = await batch(
      line({ plugin: 'a', tool: 't', input: 1, id: 7 }) +
        line({ plugin: 'a', tool: 't', id: { x: null } }) +
        '\r\n   \n' +
        JSON.stringify({ plugin: 'a', tool: 't', input: null }),
    );
    expect(answers).toEqual([
      { id: 7, ok: true, result: { tool: 't', input: 1 }, durationMs: 1.2 },
      { id: { x: null }, ok: true, result: { tool: 't', input: {} }, durationMs: 1.2 },
      { ok: true, result: { tool: 't', input: null }, durationMs: 1.2 },
    ]);
    expect(code).toBe(0);
  });

  it('answers a bad line with an error and goes on', async () => {
    const { answers } = await batch(
      'nonsense\n[1]\nnull\n' +
        line({ tool: 't', id: 1 }) +
        line({ plugin: 'a', id: 2 }) +
        line({ plugin: 'a', tool: 't', timeoutMs: 'x', id: 3 }) +
        line({ plugin: 'a', tool: 't', context: [], id: 4 }) +
        line({ plugin: 'a', tool: 't', id: 5 }),
    );
    expect(answers).toMatchObject([
      { ok: false, error: { code: 'INVALID_OPTIONS' } },
      { ok: false, error: { code: 'INVALID_OPTIONS' } },
      { ok: false, error: { code: 'INVALID_OPTIONS' } },
      { id: 1, ok: false, error: { code: 'INVALID_OPTIONS' } },
      { id: 2, ok: false },
      { id: 3, ok: false },
      { id: 4, ok: false },
      { id: 5, ok: true },
    ]);
  });

  it('reuses the engine of a directory from line to line, however the path is written', async () => {
    const { capabilities } = await batch(
      ['a', './a', `${process.cwd()}/a/`, 'b', 'a']
        .map((plugin) => line({ plugin, tool: 't' }))
        .join(''),
    );
    expect(capabilities.created.map(({ plugins }) => plugins)).toEqual([
      [resolve('a')],
      [resolve('b')],
    ]);
    expect(capabilities.calls).toHaveLength(5);
    expect(capabilities.closedEngines.toSorted()).toEqual([resolve('a'), resolve('b')]);
  });

  it('closes the engine unused for longest when many directories are open', async () => {
    const directories = Array.from({ length: 17 }, (_, index) => `p${index}`);
    const { capabilities } = await batch(
      [...directories.slice(0, 16), 'p0', 'p16', 'p0']
        .map((plugin) => line({ plugin, tool: 't' }))
        .join(''),
    );
    expect(capabilities.closedEngines[0]).toBe(resolve('p1'));
    expect(capabilities.created).toHaveLength(17);
  });

  it('passes timeout and context on, and --yes to every engine', async () => {
    const { capabilities } = await batch(
      line({ plugin: 'a', tool: 't', timeoutMs: 5, context: { k: 1 } }),
      {},
      '--yes',
      '--json',
    );
    expect(capabilities.calls[0]?.options).toMatchObject({ timeoutMs: 5, context: { k: 1 } });
    expect(capabilities.created[0]).toHaveProperty('approve');
  });

  it('never asks a person, since standard input is taken', async () => {
    const { capabilities } = await batch(line({ plugin: 'a', tool: 't' }), {
      ask: () => Promise.reject(new Error('asked')),
    });
    expect(capabilities.created[0]).not.toHaveProperty('approve');
  });

  it('goes on after a call that threw', async () => {
    let calls = 0;
    const { answers } = await batch(
      line({ plugin: 'a', tool: 't', id: 1 }) + line({ plugin: 'a', tool: 't', id: 2 }),
      {
        call: () => {
          calls += 1;
          if (calls === 1) throw new Error('fault');
          return {};
        },
      },
    );
    expect(answers).toMatchObject([
      { id: 1, ok: false, error: { code: 'INTERNAL' } },
      { id: 2, ok: true },
    ]);
  });

  it('ends when standard input ends', async () => {
    expect(await batch('')).toMatchObject({ code: 0, answers: [] });
  });

  it('stops if the reader of its answers has closed the pipe', async () => {
    const capabilities = fakeCapabilities({
      stdin: line({ plugin: 'a', tool: 't' }).repeat(3),
      call: () => {
        capabilities.stdout.closed = true;
        return {};
      },
    });
    await runCli(['batch'], '1', capabilities);
    expect(capabilities.calls).toHaveLength(1);
  });
});
