import { describe, expect, test } from 'vitest';
import { readPlugin } from '../../../src/formats/discover.js';
import { readPandora } from '../../../src/formats/pandora/read.js';
import { NO_PERMISSIONS } from '../../../src/permissions/permissions.js';
import type { FoundPlugin } from '../../../src/formats/format.js';
import { makeMemory, manifestText } from '../memory.js';

const read = (changes: Readonly<Record<string, unknown>>): Promise<FoundPlugin> =>
  readPandora(makeMemory({ '/p/pandora.manifest.json': manifestText(changes) }), '/p');

describe('a plugin', () => {
  test('has what its manifest says', async () => {
    const { plugin, problems } = await read({
      id: '@acme/x',
      version: '1.2.3',
      author: 'Acme',
      envVars: [{ name: 'A' }, { name: 'B', required: false }],
      configFields: [{ key: 'k', label: 'K', type: 'text' }],
    });
    expect(problems).toEqual([]);
    expect(plugin).toEqual({
      id: '@acme/x',
      format: 'pandora',
      directory: '/p',
      manifest: 'pandora.manifest.json',
      name: 'Mini',
      version: '1.2.3',
      description: undefined,
      about: { author: 'Acme', pandora: '>=1.0.0' },
      entries: [],
      environment: [
        { name: 'A', required: true },
        { name: 'B', required: false },
      ],
      config: [{ key: 'k', label: 'K', type: 'text', required: false }],
    });
  });

  test('is at the target of links', async () => {
    const memory = makeMemory({
      '/real/pandora.manifest.json': manifestText(),
      '/p': '-> /real',
      '/p/pandora.manifest.json': '',
    });
    const { plugin } = await readPlugin(memory, '/p');
    expect(plugin.directory).toBe('/real');
  });
});

describe('entries', () => {
  test('all of a list count, each with its own permissions', async () => {
    const { plugin } = await read({
      provides: {
        tools: [
          { entry: './src/a.ts', permissions: { time: true, network: ['A.test'] } },
          { entry: 'src/../b.ts', sandbox: 'host', requireApproval: true },
        ],
      },
    });
    expect(plugin.entries).toEqual([
      {
        key: 'tools',
        surface: 'tools',
        file: 'src/a.ts',
        dialect: 'pandora',
        confinement: 'compartment',
        declared: { ...NO_PERMISSIONS, time: true, network: ['a.test'] },
        requireApproval: false,
      },
      {
        key: 'tools.1',
        surface: 'tools',
        file: 'b.ts',
        dialect: 'pandora',
        confinement: 'host',
        declared: NO_PERMISSIONS,
        requireApproval: true,
      },
    ]);
  });

  test('are sixteen of a surface at most, and the rest is reported', async () => {
    const tools = Array.from({ length: 2_000 }, (_, at) => ({ entry: `./src/${at}.ts` }));
    const { plugin, problems } = await read({ provides: { tools } });
    expect(plugin.entries).toHaveLength(16);
    expect(problems).toEqual(['provides.tools: those after 16 are left out']);
  });

  test('agents are data and hold nothing', async () => {
    const { plugin } = await read({
      provides: { agents: { entry: './agent.ts', useTools: ['a:b'], modelTools: ['search'] } },
    });
    expect(plugin.entries).toMatchObject([
      {
        key: 'agents',
        confinement: 'compartment',
        declared: NO_PERMISSIONS,
        agent: { useTools: ['a:b'], modelTools: ['search'] },
      },
    ]);
  });

  test('channels are read', async () => {
    const { plugin } = await read({ provides: { channels: [{ entry: './c.ts' }] } });
    expect(plugin.entries).toMatchObject([{ key: 'channels', surface: 'channels', file: 'c.ts' }]);
  });

  test('a permission that cannot be read grants nothing and is named', async () => {
    const { plugin, problems } = await read({
      provides: {
        tools: [
          { entry: 'a.ts' },
          { entry: 'b.ts', permissions: { network: ['ok.test', '*'], fs: ['../..'] } },
        ],
      },
    });
    expect(plugin.entries[1]?.declared).toEqual({ ...NO_PERMISSIONS, network: ['ok.test'] });
    expect(problems).toEqual([
      expect.stringMatching(
        /^provides\.tools\[1\]\.permissions\.network\[1\]: "\*" is not a valid network/,
      ),
      expect.stringMatching(/^provides\.tools\[1\]\.permissions\.fs\[0\]: /),
    ]);
  });

  test.each([
    '../evil.ts',
    '../../evil.ts',
    './src/../../evil.ts',
    '/etc/passwd',
    'C:/evil.ts',
    'src\\evil.ts',
    'src/evil.ts\0',
    '..',
  ])('%j leads out of the plugin and is refused', async (entry) => {
    for (const provides of [{ tools: { entry } }, { agents: { entry } }, { channels: { entry } }]) {
      await expect(read({ provides })).rejects.toMatchObject({
        code: 'OUTSIDE_PLUGIN',
        message: expect.stringMatching(/^provides\.\w+\.entry: .* like "\.\/src\/index\.ts"\.$/),
      });
    }
  });

  test.each([
    ['./src/index.ts', 'src/index.ts'],
    ['a/./b//c.ts', 'a/b/c.ts'],
    ['a/../b.ts', 'b.ts'],
    ['...', '...'],
    ['.', '.'],
  ])('%s is the file %s', async (entry, file) => {
    const { plugin } = await read({ provides: { tools: { entry } } });
    expect(plugin.entries[0]?.file).toBe(file);
  });
});

describe('a manifest that is refused', () => {
  test('names its file and every problem', async () => {
    await expect(read({ id: 'a:b', extra: 1 })).rejects.toMatchObject({
      code: 'INVALID_MANIFEST',
      details: {
        file: '/p/pandora.manifest.json',
        problems: [expect.stringMatching(/^id: /), 'extra: is not known'],
      },
    });
  });

  test('is larger than any manifest', async () => {
    await expect(read({ description: 'x'.repeat(300_000) })).rejects.toThrow(/too large/);
  });

  test('is not there', async () => {
    await expect(readPandora(makeMemory({}), '/p')).rejects.toMatchObject({
      code: 'INVALID_MANIFEST',
      details: { problems: ['manifest: is missing'] },
    });
  });

  test('is a link to a file of the host, and not a word of that file is said', async () => {
    const memory = makeMemory({
      '/etc/secret': 'root:x:0',
      '/p/pandora.manifest.json': '-> /etc/secret',
      '/p/other': '',
    });
    const error: unknown = await readPandora(memory, '/p').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'OUTSIDE_PLUGIN' });
    expect(String(error)).not.toContain('root');
  });
});
