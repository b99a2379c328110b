import { expect, test } from 'vitest';
import { detectFormat, formats } from '../../src/formats/table.js';
import { makeMemory, manifestText } from './memory.js';

test('every format is listed under its own name', () => {
  for (const [name, format] of Object.entries(formats)) expect(format.name).toBe(name);
});

test('a format is known by its files', async () => {
  const memory = makeMemory({ '/p/pandora.manifest.json': manifestText(), '/q/readme.md': '' });
  expect(await detectFormat(memory, '/p')).toBe(formats.pandora);
  expect(await detectFormat(memory, '/q')).toBeUndefined();
});
