import { createServer } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createEngine, type EngineOptions } from '../../src/index.js';
import { makePlugin } from './plugin-on-disk.js';

const GLOBALS = [
  ['the function itself', 'globalThis.fetch = fetch'],
  ['a function that calls it', 'globalThis.fetch = (...args) => fetch(...args)'],
  [
    'a function that imports it',
    `globalThis.fetch = (...args) => import('node-fetch').then((all) => all.default(...args))`,
  ],
] as const;

/** What `globalThis.fetch` of code answers that makes node-fetch's global if there is none. */
async function answerOf(assign: string, options: Partial<EngineOptions> = {}): Promise<string> {
  const code = `import fetch from 'node-fetch'; if (!globalThis.fetch) ${assign};
    export const read = async () => { try { return await (await globalThis.fetch('http://a.example/')).text(); } catch (error) { return error.code; } };`;
  const directory = makePlugin({
    source: `// @ts-nocheck\nimport { read } from 'reader'; ${code.replace('export const read', 'const own')}\nexport const tools = [{ id: 'run', name: 'R', description: 'R.', parameters: { type: 'object' }, annotations: { readOnlyHint: true }, execute: async () => [await own(), await read()] }];`,
    permissions: { network: ['http://a.example'] },
    files: {
      'node_modules/reader/index.mjs': code,
      'node_modules/reader/package.json': '{ "main": "index.mjs" }',
    },
  });
  await using engine = await createEngine({ plugins: [directory], ...options });
  const { content } = await engine.call('run', {}, { timeoutMs: 5_000 });
  return content[0]?.text ?? '';
}

describe('node-fetch that code makes global', () => {
  for (const packages of ['together', 'separate'] as const) {
    it.each(GLOBALS)(
      `is denied without the network, as %s, packages ${packages}`,
      async (_, assign) => {
        expect(await answerOf(assign, { packages: { sample: packages } })).toBe(
          '["NETWORK_DENIED","NETWORK_DENIED"]',
        );
      },
    );
  }

  it.each(GLOBALS)('is not needed with the network: %s', async (_, assign) => {
    const server = createServer((_request, response) => void response.end('hello')).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    try {
      const overrides = [{ host: 'a.example', url: `http://127.0.0.1:${String(port)}` }];
      expect(await answerOf(assign, { grant: 'declared', network: { overrides } })).toBe(
        '["hello","hello"]',
      );
    } finally {
      server.close();
    }
  });
});
