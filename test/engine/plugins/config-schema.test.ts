import { describe, expect, it } from 'vitest';
import { startEngine } from '../plugin-on-disk.js';
import { makeVellum } from '../vellum-on-disk.js';

describe('a plugin', () => {
  it('restarts if only the schema of its configuration has changed', async () => {
    const tools = { tell: 'export default { execute: () => ({ content: "", isError: false }) };' };
    const write = (more: object, directory?: string): string =>
      makeVellum(
        { name: 'p', tools, manifest: { config: { type: 'object', ...more } } },
        directory,
      );
    const directory = write({});
    const engine = await startEngine([directory]);
    const found: unknown[] = [];
    for (const more of [{}, { required: ['key'] }, { required: ['key'] }, {}]) {
      write(more, directory);
      await engine.reload();
      found.push((await engine.call('p:tell', {})).code ?? 'ran');
    }
    expect(found).toEqual(['ran', 'PLUGIN_INACTIVE', 'PLUGIN_INACTIVE', 'ran']);
  });
});
