/** Titles begin with the row of the acceptance table that they stand for. */
import { describe, expect, it } from 'vitest';
import { readPlugin, readPlugins } from '../../../src/formats/discover.js';
import { makeMemory } from '../memory.js';

const peer = { '@vellumai/plugin-api': '^0.8.0' };

function packageText(changes: object = {}): string {
  return JSON.stringify({ name: 'one', version: '1.2.3', peerDependencies: peer, ...changes });
}

async function read(files: Readonly<Record<string, string>>, directory = '/p') {
  return readPlugin(makeMemory(files), directory);
}

async function readOne(changes: object, directory = '/p') {
  const files = {
    [`${directory}/package.json`]: packageText(changes),
    [`${directory}/tools/a.ts`]: '',
  };
  return read(files, directory);
}

describe('a package', () => {
  it('V-L1: is named by its name without the scope, or by its directory in the current edition', async () => {
    expect((await readOne({ name: '@me/git-workflow' })).plugin.id).toBe('git-workflow');
    const current = {
      name: '@me/git-workflow',
      peerDependencies: { '@vellumai/plugin-api': '>=0.9.0' },
    };
    expect((await readOne(current, '/reading-pal')).plugin.id).toBe('reading-pal');
    // A directory's name that can be no plugin's leaves the package's.
    expect((await readOne(current, '/Tmp.X')).plugin.id).toBe('git-workflow');
  });

  it('V-L2: has version 0.0.0 if it names none', async () => {
    expect((await readOne({ version: undefined })).plugin.version).toBe('0.0.0');
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['no name', '{}'],
    ['an empty name', '{"name":" "}'],
    ['a name that is a path', '{"name":"../evil"}'],
    ['a name with capitals', '{"name":"Evil_One"}'],
  ])('V-L3, V-R4, V-R5: with %s is a problem, and no plugin', async (_, text) => {
    const power = makeMemory({
      '/all/bad/package.json': text,
      '/all/bad/tools/a.ts': '',
      '/all/good/package.json': packageText(),
      '/all/good/tools/a.ts': '',
    });
    const { plugins, problems } = await readPlugins(power, ['/all']);
    expect(plugins.map(({ plugin }) => plugin.id)).toEqual(['one']);
    expect(problems).toMatchObject([
      { directory: '/all/bad', error: { code: 'INVALID_MANIFEST' } },
    ]);
  });

  it.each([
    ['^0.8.0', 'classic', []],
    ['*', 'classic', []],
    ['>=0.8.0', 'classic', []],
    ['^0.9.0', 'current', []],
    ['>=0.10.0-beta.1', 'current', []],
    ['^99.0.0', 'current', [expect.stringContaining('admits no version')]],
    ['no range', 'classic', [expect.stringContaining('is not a range')]],
    [7, 'classic', [expect.stringContaining('is not a range')]],
    [undefined, 'classic', [expect.stringContaining('is missing')]],
  ])('V-L4: for the API %s is %s and always loads', async (range, edition, problems) => {
    const found = await readOne({ peerDependencies: { '@vellumai/plugin-api': range, zod: '1' } });
    expect(found.plugin.entries[0]?.edition).toBe(edition);
    expect(found.problems).toEqual(problems);
  });

  it.each([
    [
      'builds it with a current version',
      { devDependencies: { '@vellumai/plugin-api': '^0.10.11' } },
      '',
      'current',
    ],
    [
      'builds it with an exact old version',
      { devDependencies: { '@vellumai/plugin-api': '0.8.12' } },
      '',
      'classic',
    ],
    [
      'builds it with something that is no range',
      { devDependencies: { '@vellumai/plugin-api': 'file:../api' } },
      '',
      'classic',
    ],
    [
      'depends on a current version',
      { dependencies: { '@vellumai/plugin-api': '0.11.3' } },
      '',
      'current',
    ],
    ['has a hook that classic reserves', {}, 'post-compact', 'current'],
    ['has a hook of both', {}, 'stop', 'classic'],
  ])('whose range is ^0.8.0 and whose author %s', async (_, changes, hook, edition) => {
    const found = await read({
      '/p/package.json': packageText(changes),
      '/p/tools/a.ts': '',
      ...(hook === '' ? {} : { [`/p/hooks/${hook}.ts`]: '' }),
    });
    expect(found.plugin.entries[0]?.edition).toBe(edition);
    expect(found.problems).toEqual([]);
  });

  it('V-L5, V-L6, V-L10: is not found in a directory without a Vellum plugin', async () => {
    const power = makeMemory({
      '/all/notes/readme.md': '',
      '/all/.git/package.json': packageText(),
      '/all/.git/tools/a.ts': '',
      '/all/library/package.json': '{"name":"library"}',
    });
    expect(await readPlugins(power, ['/all', '/missing'])).toEqual({ plugins: [], problems: [] });
  });

  it('is a plugin without tools and hooks if it says so, and has nothing to run', async () => {
    const files = { '/p/package.json': packageText(), '/p/skills/x/SKILL.md': '' };
    expect((await read(files)).plugin.entries).toEqual([]);
    expect((await read({ '/p/package.json': '{"name":"p","vellum":{}}' })).plugin.id).toBe('p');
  });
});

describe('its files', () => {
  it('V-L11, V-L12, V-T1: are .js before .ts, never .d.ts, sorted, and not looked for in folders', async () => {
    const { plugin } = await read({
      '/p/package.json': packageText(),
      '/p/tools/b.ts': '',
      '/p/tools/a.ts': '',
      '/p/tools/a.js': '',
      '/p/tools/a.d.ts': '',
      '/p/tools/c.tsx': '',
      '/p/tools/readme.md': '',
      '/p/tools/.hidden.ts': '',
      '/p/tools/deep/d.ts': '',
      '/p/tools/folder.ts/x': '',
      '/p/hooks/stop.ts': '',
      '/p/hooks/any-thing.js': '',
    });
    expect(plugin.entries[0]?.surfaces).toEqual([
      { kind: 'tools', stem: 'a', file: 'tools/a.js' },
      { kind: 'tools', stem: 'b', file: 'tools/b.ts' },
      { kind: 'hooks', stem: 'any-thing', file: 'hooks/any-thing.js' },
      { kind: 'hooks', stem: 'stop', file: 'hooks/stop.ts' },
    ]);
  });

  it('are not listed through a link that leads out', async () => {
    const { plugin, problems } = await read({
      '/p/package.json': packageText(),
      '/p/hooks/stop.ts': '',
      '/p/tools': '-> /etc',
      '/etc/x.ts': '',
    });
    expect(plugin.entries[0]?.surfaces).toMatchObject([{ file: 'hooks/stop.ts' }]);
    expect(problems).toEqual([expect.stringContaining('leads out')]);
  });

  it('V-L9: a package.json that is a link out of the plugin is refused', async () => {
    const files = {
      '/p/package.json': '-> /etc/p.json',
      '/etc/p.json': packageText(),
      '/p/tools/a.ts': '',
    };
    await expect(read(files)).rejects.toMatchObject({ code: 'OUTSIDE_PLUGIN' });
  });
});

describe('order', () => {
  const plugin = (name: string, meta?: unknown): Record<string, string> => ({
    [`/all/${name}/package.json`]: packageText({ name }),
    [`/all/${name}/tools/a.ts`]: '',
    ...(meta === undefined ? {} : { [`/all/${name}/install-meta.json`]: JSON.stringify(meta) }),
  });

  it('V-B6: is by install-meta.json, then by the directory’s birth; undated come last, by name', async () => {
    const memory = makeMemory({
      ...plugin('zulu'),
      ...plugin('yankee', { installedAt: 'no date' }),
      ...plugin('alpha', { installedAt: '2026-03-01T00:00:00Z' }),
      ...plugin('bravo', { installedAt: 1_000 }),
      ...plugin('charlie'),
    });
    const born: Readonly<Record<string, number>> = {
      '/all/charlie': Date.parse('2026-02-01T00:00:00Z'),
    };
    const power = { ...memory, birthtimeMs: async (path: string) => born[path] };
    const { plugins } = await readPlugins(power, ['/all']);
    expect(plugins.map((one) => one.plugin.id)).toEqual([
      'bravo',
      'charlie',
      'alpha',
      'yankee',
      'zulu',
    ]);
  });

  it('V-R2: decides which of two plugins of one name there is', async () => {
    const power = makeMemory({
      '/all/a/package.json': packageText({ name: '@a/same' }),
      '/all/a/tools/a.ts': '',
      '/all/a/install-meta.json': '{"installedAt":2}',
      '/all/b/package.json': packageText({ name: '@b/same' }),
      '/all/b/tools/a.ts': '',
      '/all/b/install-meta.json': '{"installedAt":1}',
    });
    const { plugins, problems } = await readPlugins(power, ['/all']);
    expect(plugins.map((one) => one.plugin.directory)).toEqual(['/all/b']);
    expect(problems).toMatchObject([{ directory: '/all/a', error: { code: 'NAME_COLLISION' } }]);
  });
});

describe('permissions', () => {
  it('are read from the key "bulkhead", in Pandora’s words', async () => {
    const { plugin } = await readOne({
      bulkhead: { permissions: { time: true, network: ['api.example.com'], env: ['KEY'] } },
    });
    expect(plugin.entries[0]).toMatchObject({
      declared: { time: true, network: ['api.example.com'], env: ['KEY'] },
    });
    expect(plugin.entries[0]?.undeclared).toBeUndefined();
  });

  it('are none if the key cannot be read, and that is a problem', async () => {
    const { plugin, problems } = await readOne({ bulkhead: { permissions: { network: 'all' } } });
    expect(plugin.entries[0]?.declared).toMatchObject({ network: [] });
    expect(problems).toEqual(['bulkhead.permissions.network: must be a list, not "all"']);
  });

  it('are not declared at all by a package without it', async () => {
    expect((await readOne({})).plugin.entries[0]?.undeclared).toBe(true);
  });
});

describe('parts that are not run', () => {
  it('are listed: skills, routes, jobs, a server’s file and a script of the installation', async () => {
    const { plugin } = await read({
      '/p/package.json': packageText(),
      '/p/tools/a.ts': '',
      '/p/skills/plan/SKILL.md': '',
      '/p/skills/.hidden/SKILL.md': '',
      '/p/routes/hook.ts': '',
      '/p/jobs/nightly.ts': '',
      '/p/hooks/stop.ts': '',
      '/p/hooks/shared.ts': '',
      '/p/mcp.json': '{}',
      '/p/postinstall.ts': '',
      '/p/src/skills/no.md': '',
    });
    expect(plugin.notRun).toEqual([
      'jobs/nightly.ts',
      'mcp.json',
      'postinstall.ts',
      'routes/hook.ts',
      'skills/plan',
      // Vellum has no hook of this name.
      'hooks/shared.ts',
    ]);
  });

  it('are not listed for a plugin without them', async () => {
    expect((await readOne({})).plugin).not.toHaveProperty('notRun');
  });
});
