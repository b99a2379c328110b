import { describe, expect, it } from 'vitest';
import { readText } from '../architecture/sources.js';
import { makeDirectory, runTool } from '../engine/plugin-on-disk.js';

const [code = ''] = [...readText('docs/storage.md').matchAll(/^```js\n(.*?)^```/gms)].map(
  ([, block]) => block ?? '',
);

describe('docs/storage.md', () => {
  it('has an example that runs in a plugin with storage', async () => {
    expect(code).toContain('storage.usage()');
    const result = await runTool(
      `async () => { await storage.mkdir('a'); ${code} return storage.read('log.txt'); }`,
      { permissions: { storage: true } },
      { storageDirectory: makeDirectory() },
    );
    expect(result).toMatchObject({ value: 'a line\n' });
  });
});
