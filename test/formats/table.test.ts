import { describe, expect, test } from 'vitest';
import { detectFormat, formatNamed, formats } from '../../src/formats/table.js';
import { makeMemory, manifestText } from './memory.js';

describe('the table of formats', () => {
  test('finds every format by its name, and names the known ones if there is none', () => {
    for (const format of formats) expect(formatNamed(format.name)).toBe(format);
    expect(() => formatNamed('fifth')).toThrow(
      'The plugin system "fifth" is not known. This version knows pandora, spindle, mcp-server, vellum, saved-program.',
    );
  });

  test('detects a format by its files', async () => {
    const memory = makeMemory({ '/p/pandora.manifest.json': manifestText(), '/q/readme.md': '' });
    expect(await detectFormat(memory, '/p')).toBe(formatNamed('pandora'));
    expect(await detectFormat(memory, '/q')).toBeUndefined();
  });
});
