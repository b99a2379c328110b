import { describe, expect, test } from 'vitest';
import { readPlugin, readPlugins } from '../../src/formats/discover.js';
import type { DirectoryReader } from '../../src/formats/format.js';
import { disk } from './disk.js';
import { makeMemory, manifestText } from './memory.js';

const MANIFEST = 'pandora.manifest.json';
const plugin = (id: string): string => manifestText({ id });
const found = async (power: DirectoryReader, ...paths: string[]): Promise<readonly string[]> => {
  const { plugins, problems } = await readPlugins(power, paths);
  expect(problems).toEqual([]);
  return plugins.map((each) => each.plugin.id);
};

describe('what is found', () => {
  test('the plugins of a packages directory, by their directories’ names', async () => {
    const memory = makeMemory({
      [`/packages/c/${MANIFEST}`]: plugin('third'),
      [`/packages/a/${MANIFEST}`]: plugin('first'),
      [`/packages/b/${MANIFEST}`]: plugin('second'),
    });
    expect(await found(memory, '/packages')).toEqual(['first', 'second', 'third']);
  });

  test('a plugin’s own directory', async () => {
    const memory = makeMemory({
      [`/a/${MANIFEST}`]: plugin('a'),
      [`/a/b/${MANIFEST}`]: plugin('b'),
    });
    expect(await found(memory, '/a')).toEqual(['a']);
  });

  test('nothing deeper than one level', async () => {
    const memory = makeMemory({ [`/packages/a/b/${MANIFEST}`]: plugin('deep') });
    expect(await found(memory, '/packages')).toEqual([]);
  });

  test('what a pattern names', async () => {
    const memory = makeMemory({
      [`/x/tool-a/${MANIFEST}`]: plugin('a'),
      [`/x/tool-b/${MANIFEST}`]: plugin('b'),
      [`/x/other/${MANIFEST}`]: plugin('c'),
      [`/x/.hidden/${MANIFEST}`]: plugin('d'),
      '/x/tool-readme': 'no directory',
    });
    expect(await found(memory, '/x/tool-*')).toEqual(['a', 'b']);
    expect(await found(memory, '/x/*')).toEqual(['c', 'a', 'b']);
    expect(await found(memory, '/*/tool-b')).toEqual(['b']);
    expect(await found(memory, '/x/*l-*a')).toEqual(['a']);
    expect(await found(memory, '/y/*')).toEqual([]);
  });

  test('one plugin once, however many paths lead to it', async () => {
    const memory = makeMemory({
      [`/packages/a/${MANIFEST}`]: plugin('a'),
      '/packages/z': '-> /packages/a',
    });
    expect(await found(memory, '/packages', '/packages/a', '/packages/*')).toEqual(['a']);
  });
});

describe('what is passed over in silence', () => {
  test('a directory without a manifest, and files', async () => {
    const memory = makeMemory({
      [`/packages/a/${MANIFEST}`]: plugin('a'),
      '/packages/docs/readme.md': '',
      '/packages/readme.md': '',
    });
    expect(await found(memory, '/packages')).toEqual(['a']);
  });

  test('a directory that does not exist', async () => {
    expect(await found(makeMemory({}), '/nowhere')).toEqual([]);
    expect(await found(disk, '/nowhere/at/all')).toEqual([]);
  });
});

describe('a problem that does not hide other plugins', () => {
  const withBad = async (bad: string): Promise<[readonly string[], readonly unknown[]]> => {
    const memory = makeMemory({
      [`/packages/bad/${MANIFEST}`]: bad,
      [`/packages/good/${MANIFEST}`]: plugin('good'),
    });
    const { plugins, problems } = await readPlugins(memory, ['/packages']);
    return [plugins.map((each) => each.plugin.id), problems];
  };

  test.each([
    ['what is not JSON', '{ nope', 'INVALID_MANIFEST', /is not JSON/],
    ['what does not fit', manifestText({ extra: 1 }), 'INVALID_MANIFEST', /extra: is not known/],
    [
      'an entry outside',
      manifestText({ provides: { tools: { entry: '../../x' } } }),
      'OUTSIDE_PLUGIN',
      /not a path inside/,
    ],
    ['what cannot be read', ' '.repeat(300_000), 'PLUGIN_NOT_FOUND', /too large/],
  ])('%s', async (_, bad, code, message) => {
    const [ids, problems] = await withBad(bad);
    expect(ids).toEqual(['good']);
    expect(problems).toEqual([
      {
        directory: '/packages/bad',
        error: expect.objectContaining({ code, message: expect.stringMatching(message) }),
      },
    ]);
  });

  test('an id that is taken: the first directory has it', async () => {
    const memory = makeMemory({
      [`/packages/b/${MANIFEST}`]: manifestText({ id: 'x', name: 'Later' }),
      [`/packages/a/${MANIFEST}`]: manifestText({ id: 'x', name: 'First' }),
    });
    const { plugins, problems } = await readPlugins(memory, ['/packages']);
    expect(plugins.map((each) => each.plugin.name)).toEqual(['First']);
    expect(problems).toMatchObject([
      {
        directory: '/packages/b',
        error: {
          code: 'NAME_COLLISION',
          details: { name: 'x', plugins: ['/packages/a', '/packages/b'] },
        },
      },
    ]);
  });
});

test('one directory that holds no plugin is an error', async () => {
  await expect(readPlugin(makeMemory({}), '/x')).rejects.toMatchObject({
    code: 'PLUGIN_NOT_FOUND',
    details: { directory: '/x' },
  });
});
