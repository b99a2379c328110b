import { describe, expect, it } from 'vitest';
import type { FoundPlugin } from '../../../src/formats/format.js';
import { mcpServer as mcp } from '../../../src/formats/mcp-server/format.js';
import { detectFormat } from '../../../src/formats/table.js';
import { makeMemory } from '../memory.js';

const server = {
  name: '@scope/notes',
  version: '1.2.3',
  bin: 'dist/index.js',
  mcpName: 'io.x/notes',
};

function files(
  manifest: object,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { '/p/package.json': JSON.stringify(manifest), '/p/dist/index.js': '', ...more };
}

function read(manifest: object, more?: Readonly<Record<string, string>>): Promise<FoundPlugin> {
  return mcp.read(makeMemory(files(manifest, more)), '/p');
}

describe('the package of an MCP server', () => {
  it.each([
    { mcpName: 'io.x/notes' },
    { dependencies: { '@modelcontextprotocol/sdk': '^1.0.0' } },
    { dependencies: { '@modelcontextprotocol/server': '^2.0.0' } },
    { devDependencies: { '@modelcontextprotocol/sdk': '^1.0.0' } },
    { keywords: ['MCP-server'] },
  ])('has a program, and %j', async (sign) => {
    const memory = makeMemory(files({ name: 'a', bin: 'dist/index.js', ...sign }));
    expect((await detectFormat(memory, '/p'))?.name).toBe('mcp-server');
    const library = makeMemory(files({ name: 'a', main: 'dist/index.js', ...sign }));
    expect(await detectFormat(library, '/p')).toBeUndefined();
  });

  it('is not a plugin of Vellum, even with folders of that name', async () => {
    const folders = { '/p/tools/a.js': '' };
    const found = await detectFormat(makeMemory(files(server, folders)), '/p');
    expect(found?.name).toBe('mcp-server');
    const own = { ...server, peerDependencies: { '@vellumai/plugin-api': '^0.8.0' } };
    expect((await detectFormat(makeMemory(files(own, folders)), '/p'))?.name).toBe('vellum');
    expect(await detectFormat(makeMemory({ '/p/package.json': 'not JSON' }), '/p')).toBeUndefined();
  });

  it('is read from the source of its program, if that is there', async () => {
    const typed = { ...server, bulkhead: { source: './src/server.ts' } };
    const programOf = async (
      manifest: object,
      more?: Readonly<Record<string, string>>,
    ): Promise<string | undefined> => {
      const [entry] = (await read(manifest, more)).plugin.entries;
      return entry?.surfaces?.[0]?.file;
    };
    expect(await programOf(typed, { '/p/src/server.ts': '' })).toBe('src/server.ts');
    expect(await programOf(typed)).toBe('dist/index.js');
    const outside = { ...server, bulkhead: { source: '../server.ts' } };
    await expect(read(outside)).rejects.toMatchObject({ code: 'OUTSIDE_PLUGIN' });
  });

  it('is read with its program and what its server.json requires', async () => {
    const about = {
      title: 'Notes',
      packages: [
        {
          environmentVariables: [
            { name: 'NOTES_KEY', isRequired: true, isSecret: true },
            { name: 'NOTES_URL' },
            { name: 'not a name' },
            null,
          ],
        },
      ],
    };
    const { plugin, problems } = await read(server, { '/p/server.json': JSON.stringify(about) });
    expect(problems).toEqual([]);
    expect(plugin).toMatchObject({
      id: '@scope/notes',
      name: 'Notes',
      version: '1.2.3',
      format: 'mcp-server',
      environment: [
        { name: 'NOTES_KEY', required: true },
        { name: 'NOTES_URL', required: false },
      ],
      entries: [
        {
          key: 'server',
          dialect: 'mcp-server',
          surfaces: [{ kind: 'tools', stem: 'server', file: 'dist/index.js' }],
          declared: { time: true, random: true, storage: true, network: [], fs: ['.'] },
          undeclared: true,
        },
      ],
    });
    const without = mcp.decideActivation(plugin, {}, () => undefined);
    expect(without).toMatchObject({
      config: null,
      reasons: ['the environment variable NOTES_KEY is not set; set it'],
    });
    expect(mcp.decideActivation(plugin, { args: ['-v'] }, () => 'x').config).toEqual({
      args: ['-v'],
    });
    expect(mcp.decideActivation(plugin, { args: 'x' }, () => 'x').reasons).toEqual([
      'its configuration is not valid: config["@scope/notes"].args: must be a list of texts',
    ]);
  });

  it('may be one in node_modules, which the directory names', async () => {
    const memory = makeMemory({
      '/p/package.json': '{"bulkhead":{"server":"@scope/notes"}}',
      '/p/node_modules/@scope/notes/package.json': JSON.stringify(server),
    });
    const { plugin } = await mcp.read(memory, '/p');
    expect(plugin).toMatchObject({
      id: '@scope/notes',
      manifest: 'node_modules/@scope/notes/package.json',
      entries: [{ surfaces: [{ file: 'node_modules/@scope/notes/dist/index.js' }] }],
    });
  });

  it('of several programs, the one with the name of the package is used', async () => {
    const bin = { setup: 'setup.js', notes: './dist/index.js' };
    const { plugin, problems } = await read({ ...server, bin });
    expect(plugin.entries[0]?.surfaces?.[0]?.file).toBe('dist/index.js');
    expect(problems).toEqual([expect.stringMatching(/several programs \("setup", "notes"\)/)]);
  });

  it.each([
    [{ ...server, bin: '../outside.js' }, /is not a path inside the plugin/],
    [{ ...server, bin: '/etc/passwd' }, /is not a path inside the plugin/],
    [{ ...server, bin: undefined }, /bin: is missing/],
    [{ ...server, name: 'a:b' }, /name: is missing, or is not a name of npm/],
    [{ bulkhead: { server: '@scope/absent' } }, /absent\/package.json .*is missing/],
    [{ ...server, bin: undefined, bulkhead: { server: '../../etc' } }, /bin: is missing/],
  ])('%j is refused', async (manifest, why) => {
    await expect(read(manifest)).rejects.toThrow(why);
  });

  it('may declare permissions; invalid ones request nothing', async () => {
    const permissions = { network: ['api.example.com'], time: true };
    const { plugin } = await read({ ...server, bulkhead: { permissions } });
    expect(plugin.entries[0]).toMatchObject({
      declared: { network: ['api.example.com'], time: true, storage: false, fs: [] },
    });
    expect(plugin.entries[0]?.undeclared).toBeUndefined();
    const wrong = await read({ ...server, bulkhead: { permissions: { network: 5 } } });
    expect(wrong.problems.join()).toMatch(/bulkhead\.permissions\.network/);
    expect(wrong.plugin.entries[0]?.declared).toMatchObject({ network: [], time: false });
  });
});
