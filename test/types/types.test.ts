import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readText, ROOT } from '../architecture/sources.js';

describe('the types for authors', () => {
  it('accept the documents’ own examples as they stand, and refuse what does not work', () => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const project = join(ROOT, 'test/types/examples');
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', project], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it('are exported by the package, and bring nothing along', () => {
    const { exports, files } = JSON.parse(readText('package.json')) as {
      exports: Record<string, { types: string }>;
      files: string[];
    };
    expect(files).toContain('types');
    for (const system of ['vellum', 'pandora', 'spindle']) {
      const entry = exports[`./types/${system}`];
      expect(entry?.types).toBe(`./types/${system}.d.ts`);
      expect(readText(`types/${system}.d.ts`)).not.toMatch(/^(import|export) /m);
    }
  });
});
