import { expect, it } from 'vitest';
import type { EngineOptions } from '../../src/index.js';
import { startEngine } from '../engine/plugin-on-disk.js';
import { fencesOf } from './documents.js';

const [example] = fencesOf('docs/packages.md').filter(({ language }) => language === 'js');

it('docs/packages.md has an example that the engine accepts, and would not with another key', async () => {
  // The example is a part of the options.
  const read = (text: string): Partial<EngineOptions> => {
    const make: unknown = new Function(`return {${text}};`);
    return typeof make === 'function' ? make() : {};
  };
  const text = example?.text ?? '';
  expect(Object.keys(read(text))).toEqual(['packages']);
  const engine = await startEngine([], read(text));
  expect(engine.catalog.list()).toEqual([]);
  await expect(startEngine([], read(text.replace('together', 'apart')))).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
  });
});
