import { describe, expect, it } from 'vitest';
import { createEngine, type Engine, type EngineOptions } from '../../src/index.js';
import { readText } from '../architecture/sources.js';
import { makeDirectory, makePlugin, silentLogger } from '../engine/plugin-on-disk.js';
import { startVellum } from '../engine/vellum-on-disk.js';

const text = readText('docs/powers.md');
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(text)?.[1] ?? '';

describe('docs/powers.md', () => {
  it('has an example that lends a plugin the defined power', async () => {
    const directory = makePlugin({
      id: 'notes',
      permissions: { powers: ['conversations'] },
      tools: { find: `async () => powers['conversations.find']({ text: 'tea' })` },
    });
    const start = (options: EngineOptions): Promise<Engine> =>
      createEngine({
        ...options,
        plugins: [directory],
        cacheDirectory: makeDirectory(),
        logger: silentLogger,
        tolerance: 'full',
      });
    const store = { find: (wanted: string): string[] => [`about ${wanted}`] };
    const run: unknown = new Function(
      'createEngine',
      'store',
      `return (async () => { ${block('js')} return engine; })()`,
    );
    if (typeof run !== 'function') throw new TypeError('expected a function');
    const engine: Engine = await run(start, store);
    expect(await engine.call('find', {})).toMatchObject({ value: ['about tea'] });
    await engine.close();
  });

  it('has an example whose init receives what its package needs', async () => {
    const engine = await startVellum(
      {
        name: 'weather',
        manifest: JSON.parse(block('json')),
        files: { 'lib/state.ts': 'export const state: { ctx?: any } = {};' },
        hooks: {
          init: 'import { state } from "../lib/state"; export default (ctx) => { state.ctx = ctx; };',
        },
        tools: {
          told: 'import { state } from "../lib/state"; export default { execute: () => ({ content: JSON.stringify([state.ctx.config, state.ctx.credentials]), isError: false }) };',
        },
      },
      {
        tolerance: 'full',
        storageDirectory: makeDirectory(),
        credentials: (plugin, key) => `${plugin}'s ${key}`,
      },
    );
    const { content } = await engine.call('told', {});
    expect(content).toMatchObject([
      { text: JSON.stringify([{ city: 'Oslo' }, { api_key: "weather's api_key" }]) },
    ]);
  });
});
