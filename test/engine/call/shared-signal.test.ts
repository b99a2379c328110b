import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/index.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

const MANY = Array.from({ length: 15 }, (_, n) => n);

describe('a signal that many calls share', () => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): void => {
    warnings.push(message);
  };
  let engine: Engine;
  beforeEach(async () => {
    warnings.splice(0);
    process.on('warning', onWarning);
    engine = await startEngine([makePlugin({ tools: { echo: '(input) => input' } })]);
  });
  afterEach(() => {
    process.off('warning', onWarning);
  });

  /** Node emits a warning in the next tick. */
  const seen = async (): Promise<readonly string[]> => {
    await setTimeout(10);
    return warnings;
  };

  it('is no leak to Node: calls at once', async () => {
    const { signal } = new AbortController();
    const [tool] = engine.catalog.list();
    const results = await Promise.all(
      MANY.map((n) => engine.call(tool?.name ?? '', { n }, { signal })),
    );
    expect(results.map(({ value }) => value)).toEqual(MANY.map((n) => ({ n })));
    expect(await seen()).toEqual([]);
  });

  it('is no leak to Node: the calls of a program', async () => {
    const { signal } = new AbortController();
    const tool = engine.catalog.list()[0]?.name.replace('__', '.');
    const source = `return (await Promise.all([${MANY.join()}].map((n) => tools.${tool}({ n })))).length`;
    const result = await engine.runProgram(source, { signal });
    expect(result).toMatchObject({ isError: false, value: MANY.length });
    expect(await seen()).toEqual([]);
  });

  it('keeps a limit that its owner chose', async () => {
    const { signal } = new AbortController();
    setMaxListeners(12, signal);
    await Promise.all(
      MANY.map((n) => engine.call(engine.catalog.list()[0]?.name ?? '', { n }, { signal })),
    );
    expect(await seen()).toEqual([expect.stringContaining('13 abort listeners')]);
  });
});
