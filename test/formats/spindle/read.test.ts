import { describe, expect, test } from 'vitest';
import type { FoundPlugin } from '../../../src/formats/format.js';
import { spindle } from '../../../src/formats/spindle/format.js';
import { SPINDLE_PERMISSIONS } from '../../../src/formats/spindle/permissions.js';
import { makeMemory } from '../memory.js';

const complete = {
  version: '1.0.0',
  name: 'Sample',
  identifier: 'sample',
  author: 'someone',
  github: 'https://github.com/someone/sample',
};

const read = (
  manifest: object,
  files: Readonly<Record<string, string>> = { '/p/dist/backend.js': '' },
  name = 'spindle.json',
): Promise<FoundPlugin> =>
  spindle.read(makeMemory({ [`/p/${name}`]: JSON.stringify(manifest), ...files }), '/p');

describe('a Spindle extension', () => {
  test.each(['spindle.json', 'spindlefile', 'spindlefile.json'])(
    'S03: may name its manifest %s',
    async (name) => {
      const { plugin } = await read(complete, undefined, name);
      expect(plugin).toMatchObject({ id: 'sample', manifest: name, format: 'spindle' });
      const power = makeMemory({ [`/p/${name}`]: '{}' });
      expect(await spindle.detect(power, '/p')).toBe(true);
      expect(await spindle.detect(power, '/q')).toBe(false);
    },
  );

  test.each(['version', 'name', 'author', 'identifier'])(
    'S01: is refused if its manifest lacks %s, and the error names the field',
    async (field) => {
      await expect(read({ ...complete, [field]: undefined })).rejects.toThrow(
        `${field}: is missing`,
      );
      await expect(read({ ...complete, [field]: '' })).rejects.toThrow(`${field}: must be`);
    },
  );

  test.each(['Sample', '1sample', 'sam-ple', 'sam ple', 'sam:ple', '../x', `a${'b'.repeat(200)}`])(
    'S01: cannot have %s as its identifier',
    async (identifier) => {
      await expect(read({ ...complete, identifier })).rejects.toThrow('identifier: must be');
    },
  );

  test('S01: may begin its manifest with a byte order mark', async () => {
    const power = makeMemory({ '/p/spindle.json': `\uFEFF${JSON.stringify(complete)}` });
    expect((await spindle.read(power, '/p')).plugin.id).toBe('sample');
  });

  test('S01: may have unknown keys', async () => {
    const { problems } = await read({ ...complete, install_scope: 'user', future: { a: 1 } });
    expect(problems).toEqual([]);
  });

  test.each([
    ['github', 'javascript:alert(1)'],
    ['github', 'http://github.com/x'],
    ['github', 'local://sample'],
    ['homepage', 'http://example.com'],
    ['homepage', 'javascript:alert(1)'],
  ])('S02: cannot have as its %s %s', async (field, address) => {
    await expect(read({ ...complete, [field]: address })).rejects.toThrow(`${field}: must be`);
  });

  test('S02: may have an empty homepage, and neither field is required', async () => {
    const { github: _, ...bare } = complete;
    for (const about of [{ homepage: '' }, {}]) {
      const { plugin, problems } = await read({ ...bare, ...about });
      expect({ about: plugin.about, problems }).toEqual({
        about: { author: 'someone', ...about },
        problems: [],
      });
    }
  });

  test.each(['../outside.js', '/etc/passwd', 'dist/../../x.js', 'C:/x.js', 'dist\\x.js'])(
    'S04: cannot have %s as its entry',
    async (path) => {
      await expect(read({ ...complete, entry_backend: path })).rejects.toThrow(
        'is not a path inside the plugin',
      );
      await expect(read({ ...complete, entry_frontend: path })).rejects.toThrow(
        'is not a path inside the plugin',
      );
    },
  );

  test('S05: has its backend at the manifest’s path, as a build, or as a source', async () => {
    const fileOf = async (manifest: object, file: string): Promise<string | undefined> =>
      (await read(manifest, { [`/p/${file}`]: '' })).plugin.entries[0]?.file;
    expect(await fileOf(complete, 'dist/backend.js')).toBe('dist/backend.js');
    expect(await fileOf(complete, 'src/backend.ts')).toBe('src/backend.ts');
    expect(await fileOf({ ...complete, entry_backend: './out/main.js' }, 'out/main.js')).toBe(
      'out/main.js',
    );
  });

  test('S05: without a backend has no entry and no problem', async () => {
    const { plugin, problems } = await read(complete, { '/p/dist/frontend.js': '' });
    expect(plugin.entries).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('with a missing backend reports the path that the manifest names', async () => {
    const { problems } = await read({ ...complete, entry_backend: 'dist/main.js' }, {});
    expect(problems).toEqual([
      'entry_backend: there is no file "dist/main.js", so the backend does not run',
    ]);
  });

  test('S06: may name every permission of Spindle; an unknown one is reported and requests nothing', async () => {
    const { plugin, problems } = await read({
      ...complete,
      permissions: [...SPINDLE_PERMISSIONS, 'root', '__proto__', 'tools'],
    });
    expect(plugin.entries[0]?.pluginInfo).toMatchObject({
      manifest: { permissions: SPINDLE_PERMISSIONS },
    });
    expect(problems).toHaveLength(2);
  });

  test('requests only the time and random numbers by default', async () => {
    const { plugin } = await read({ ...complete, permissions: ['tools'] });
    expect(plugin.entries[0]?.declared).toMatchObject({
      time: true,
      random: true,
      network: [],
      env: [],
      fs: [],
    });
  });

  test('takes the hosts of cors_proxy from the bulkhead key', async () => {
    const bulkhead = { permissions: { network: ['api.example.com'], env: ['KEY'], time: false } };
    const asked = await read({ ...complete, permissions: ['cors_proxy'], bulkhead });
    expect(asked.plugin.entries[0]?.declared).toMatchObject({
      time: false,
      network: ['api.example.com'],
      env: ['KEY'],
    });
    const without = await read({ ...complete, permissions: [], bulkhead });
    expect(without.plugin.entries[0]?.declared.network).toEqual([]);
    expect(without.problems).toEqual([
      'bulkhead.permissions.network: also needs "cors_proxy" in "permissions"',
    ]);
  });

  test('has an installation UUID in canonical lower case that never changes', async () => {
    const idOf = async (identifier: string): Promise<unknown> =>
      (await read({ ...complete, identifier })).plugin.entries[0]?.pluginInfo?.['installationId'];
    const id = await idOf('sample');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await idOf('sample')).toBe(id);
    expect(await idOf('another')).not.toBe(id);
  });

  test.each(['', '[]', '{', 'null'])('cannot have the text %j as its manifest', async (text) => {
    await expect(spindle.read(makeMemory({ '/p/spindle.json': text }), '/p')).rejects.toMatchObject(
      {
        code: 'INVALID_MANIFEST',
      },
    );
  });
});
