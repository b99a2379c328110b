import { describe, expect, it } from 'vitest';
import { readText } from '../architecture/sources.js';
import { makeDirectory, makePlugin, runTool, startEngine } from '../engine/plugin-on-disk.js';

const [code = '', database = ''] = [
  ...readText('docs/storage.md').matchAll(/^```js\n(.*?)^```/gms),
].map(([, block]) => block ?? '');

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

  it('has an example that writes a database in a file', async () => {
    expect(database).toContain('bun:sqlite');
    const source = `${database}
      export const tools = [{ id: 'read', name: 'n', description: 'd', annotations: { readOnlyHint: true },
        execute: () => db.query('select text from notes').all() }];`;
    const plugin = makePlugin({ id: 'notes', permissions: { storage: true }, source });
    const engine = await startEngine([plugin], { storageDirectory: makeDirectory() });
    expect(await engine.call('read', {})).toMatchObject({ value: [{ text: 'Buy milk' }] });
  });
});
