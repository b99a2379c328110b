import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { plainProgram } from '../engine/mcp-on-disk.js';
import { type Published, type Registry, serveRegistry } from '../npm/registry.js';
import { run } from './in-process.js';

const home = mkdtempSync(join(tmpdir(), 'bulkhead-registry-home-'));
const work = mkdtempSync(join(tmpdir(), 'bulkhead-registry-work-'));
const store = join(home, '.local/share/bulkhead/npm');
let registry: Registry;

beforeAll(async () => {
  registry = await serveRegistry();
  // `npx` sets it for what it starts.
  vi.stubEnv('npm_config_userconfig', join(home, '.npmrc'));
  vi.stubEnv('NPM_CONFIG_USERCONFIG', join(home, '.npmrc'));
  writeFileSync(join(home, '.npmrc'), `registry=${registry.url}\nfetch-retries=0\n`);
  // Nothing of the working directory counts.
  writeFileSync(join(work, '.npmrc'), 'registry=http://127.0.0.1:1/\n');
});
afterAll(() => {
  vi.unstubAllEnvs();
  registry.close();
  for (const path of [home, work]) rmSync(path, { recursive: true, force: true });
});

/** An MCP server of that name. */
function server(name: string, more: Partial<Published> = {}): Published {
  return {
    name,
    ...more,
    manifest: { type: 'module', bin: 'server.js', mcpName: `io.example/${name}`, ...more.manifest },
    files: {
      'server.js': plainProgram(`return text('${more.version ?? '1.0.0'}');`),
      ...more.files,
    },
  };
}

/** The same plugin in three systems: `name` greets. */
const plugins: Readonly<Record<string, (name: string) => Published>> = {
  pandora: (name) => ({
    name,
    manifest: { dependencies: { 'plain-dependency': '*' } },
    files: {
      'pandora.manifest.json': JSON.stringify({
        manifestVersion: 1,
        id: `@me/${name}`,
        name,
        version: '1.0.0',
        pandora: '>=0.1.0',
        provides: { tools: { entry: './index.js' } },
      }),
      'index.js': `import { word } from 'plain-dependency';
        export const tools = [{ id: 'greet', name: 'Greet', description: 'Greets.',
          parameters: { type: 'object' }, execute: () => word }];`,
    },
  }),
  vellum: (name) => ({
    name,
    manifest: {
      // No registry has the first.
      peerDependencies: { '@vellumai/plugin-api': '^0.8.0', 'plain-dependency': '*' },
    },
    files: {
      'tools/greet.js': `import { word } from 'plain-dependency';
        export default { description: 'Greets.', input_schema: { type: 'object' },
          execute: () => ({ content: word, isError: false }) };`,
    },
  }),
  spindle: (name) => ({
    name,
    files: {
      'spindle.json': JSON.stringify({
        version: '1.0.0',
        name,
        identifier: name.replaceAll('-', '_'),
        author: 'ada',
        github: 'https://github.com/ada/x',
        homepage: 'https://github.com/ada/x',
        permissions: ['tools'],
        entry_backend: 'backend.js',
      }),
      'backend.js': `spindle.registerTool({ name: 'greet', display_name: 'Greet', description: 'Greets.',
          parameters: { type: 'object' } });
        spindle.on('TOOL_INVOCATION', () => 'hello');`,
    },
  }),
};

const bulkhead = (...args: string[]): ReturnType<typeof run> => run([...args], { home, cwd: work });
const stored = (): string[] =>
  existsSync(store) ? readdirSync(store).filter((name) => !name.startsWith('.')) : [];

describe('a package of a registry', () => {
  it('is fetched from the registry of the user, without its scripts, with its dependencies', async () => {
    const marker = join(work, 'ran');
    const script = { install: `touch ${marker}`, postinstall: `touch ${marker}` };
    registry.publish({ name: 'dependency', manifest: { scripts: script } });
    registry.publish(
      server('scripted', { manifest: { scripts: script, dependencies: { dependency: '*' } } }),
    );
    const { code, stdout, stderr } = await bulkhead('add', '--user', 'npm:scripted', '--yes');
    expect([code, stdout]).toEqual([0, expect.stringContaining('added scripted to ')]);
    expect(stderr).toContain('fetched scripted 1.0.0 with 1 dependencies; published by ada');
    // Before the question, which here is answered in advance.
    expect(stderr).toMatch(/^ {2}tool +run \(/m);
    expect(stderr).not.toContain('did not say what tools it offers');
    expect(existsSync(marker)).toBe(false);
  });

  it.each([
    ['git', 'git+http://127.0.0.1:1/x.git'],
    ['url', 'http://127.0.0.1:1/x.tgz'],
    ['file', 'file:../../../../../etc'],
  ])(
    'is refused if a dependency of a dependency comes from elsewhere: %s',
    async (kind, source) => {
      registry.publish({ name: `deep-${kind}`, manifest: { dependencies: { x: source } } });
      registry.publish(
        server(`foreign-${kind}`, { manifest: { dependencies: { [`deep-${kind}`]: '*' } } }),
      );
      const before = stored();
      const { code, stderr } = await bulkhead('add', '--user', `npm:foreign-${kind}`, '--yes');
      expect(code).not.toBe(0);
      expect(stderr).toContain('PACKAGE_REFUSED');
      expect(stored()).toEqual(before);
    },
  );

  it('is refused if its archive is not the one that the registry named', async () => {
    registry.publish(server('replaced', { isReplaced: true }));
    const { code, stderr } = await bulkhead('add', '--user', 'npm:replaced', '--yes');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/PACKAGE_REFUSED[\s\S]*EINTEGRITY/);
  });

  it('is refused while it is young, until its version is named', async () => {
    registry.publish(server('young', { hours: 3 }));
    const add = (...more: string[]) => bulkhead('add', '--user', 'npm:young', '--yes', ...more);
    const refused = await add();
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('young@1.0.0 was published 3 h ago');
    expect((await add('--min-age', '2')).code).toBe(0);
  });

  it('is updated only by its publisher, unless the version is named; gc keeps what a rollback restores', async () => {
    registry.publish(server('moving'));
    expect((await bulkhead('add', '--user', 'npm:moving', '--yes')).code).toBe(0);
    const update = (...more: string[]) => bulkhead('update', '--user', 'moving', ...more);
    registry.publish(server('moving', { version: '1.2.0', publisher: 'eve' }));
    const refused = await update();
    expect(refused.stderr).toContain('published by eve, and the accepted version by ada');
    expect((await update('--accept-version', '1.2.0')).stdout).toContain('moving is updated');
    const named = () => stored().filter((name) => name.startsWith('moving@'));
    expect(named()).toHaveLength(2);
    expect((await bulkhead('store', 'gc')).stdout).toContain('nothing to delete');
    expect(named()).toHaveLength(2);
    expect((await bulkhead('rollback', '--user', 'moving')).code).toBe(0);
    expect((await bulkhead('list', '--user')).stdout).toMatch(/moving +1\.0\.0 +enabled/);
  });

  it('says that provenance was claimed and not verified if npm cannot reach what verifies it', async () => {
    registry.publish(server('claimed', { isAttested: true }));
    const { code, stderr } = await bulkhead('add', '--user', 'npm:claimed', '--yes');
    expect([code, stderr]).toEqual([0, expect.stringContaining('npm could not verify it')]);
  });

  it('is added with others at once, with the progress on a terminal', async () => {
    for (const name of ['first', 'third']) registry.publish(server(name));
    const named = ['npm:first', 'npm:second', 'npm:third'];
    const { code, stdout, stderr } = await run(['add', '--user', ...named, '--yes'], {
      home,
      cwd: work,
      terminal: true,
    });
    expect(code).not.toBe(0);
    for (const name of ['first', 'third']) expect(stdout).toContain(`added ${name} to`);
    expect(stderr).toContain('\rfetching [--------------------] 0 of 3');
    expect(stderr).toContain('\rfetching [####################] 3 of 3\n');
    expect(stderr).toMatch(/\[2\/3\] npm:second[\s\S]*404/);
  });
});

describe('a plugin that its author published', () => {
  beforeAll(() => {
    registry.publish({
      name: 'plain-dependency',
      manifest: { type: 'module', main: 'index.js' },
      files: { 'index.js': "export const word = 'hello';" },
    });
  });

  it.each([
    ['pandora', '@me/greets-pandora'],
    ['vellum', 'greets-vellum'],
    ['spindle', 'greets_spindle'],
  ])('of %s is added by its name, called by its id, and updated', async (system, id) => {
    const name = `greets-${system}`;
    const published = plugins[system]?.(name);
    if (published === undefined) throw new Error(`no plugin of ${system}`);
    registry.publish(published);
    const lock = join(home, '.config/bulkhead/bulkhead.lock.json');
    const added = await bulkhead('add', '--user', `npm:${name}`, '--yes');
    expect(added).toMatchObject({ code: 0, stdout: `added ${id} to ${lock}\n` });

    const call = () => bulkhead('call', id, 'greet', '--lock', lock);
    expect(await call()).toMatchObject({ code: 0, stdout: 'hello\n' });
    expect((await bulkhead('tools', id, '--lock', lock)).stdout).toContain('greet');
    expect(await bulkhead('inspect', id, '--lock', lock)).toMatchObject({ code: 0 });

    const { files = {} } = published;
    const louder = Object.fromEntries(
      Object.entries(files).map(([path, text]) => [
        path,
        text
          .replace("'hello'", "'HELLO'")
          .replace('=> word', '=> word.toUpperCase()')
          .replace('content: word', 'content: word.toUpperCase()'),
      ]),
    );
    registry.publish({ ...published, version: '1.1.0', files: louder });
    expect(await bulkhead('update', '--user', id)).toMatchObject({
      code: 0,
      stdout: `${id} is updated\n`,
    });
    expect((await call()).stdout).toBe('HELLO\n');

    // The version before it stays for a rollback.
    expect(stored().filter((one) => one.startsWith(`${name}@`))).toHaveLength(2);
    await bulkhead('store', 'gc');
    expect(stored().filter((one) => one.startsWith(`${name}@`))).toHaveLength(2);
  });

  it('is asked about if its author packed its dependencies into its own code', async () => {
    const pack = async (version: string, word: string): Promise<Published> => {
      const directory = mkdtempSync(join(work, 'packed-'));
      const files: Record<string, string> = {
        ...plugins['pandora']?.('packed').files,
        'node_modules/plain-dependency/package.json':
          '{"name":"plain-dependency","version":"1.0.0","type":"module","main":"index.js"}',
        'node_modules/plain-dependency/index.js': "export const word = 'hello';",
        'package.json': '{"name":"packed"}',
      };
      if (word !== 'word') files['index.js'] = files['index.js']?.replace(/^import.*;/, '') ?? '';
      files['index.js'] = files['index.js']?.replace('=> word', `=> ${word}`) ?? '';
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(directory, path)), { recursive: true });
        writeFileSync(join(directory, path), text);
      }
      const packed = await bulkhead('pack', directory);
      expect(packed.stdout).toContain('  bulkhead add npm:packed    what others type then\n');
      expect(packed.stdout.includes('as one bundle')).toBe(word === 'word');
      const artifact = readFileSync(join(directory, 'bulkhead.artifact'), 'utf8');
      const { 'pandora.manifest.json': manifest = '' } = files;
      return {
        name: 'packed',
        version,
        files: { 'pandora.manifest.json': manifest, 'bulkhead.artifact': artifact },
      };
    };
    const alone = await pack('1.0.0', "'alone'");
    registry.publish(alone);
    const call = () => bulkhead('call', '@me/packed', 'greet', '--lock', 'bulkhead.lock.json');
    expect(await bulkhead('add', 'npm:packed', '--yes')).toMatchObject({ code: 0 });
    expect((await call()).stdout).toBe('alone\n');

    registry.publish(await pack('1.1.0', 'word'));
    const names = 'one bundle: plain-dependency@1.0.0 would get all that the plugin may do';
    const update = ['update', '@me/packed', '--accept'];
    const refused = await bulkhead(...update);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(names) });
    expect((await call()).stdout).toBe('alone\n');
    expect(await bulkhead(...update, '--packages', 'together')).toMatchObject({ code: 0 });
    expect((await call()).stdout).toBe('hello\n');

    const again = ['add', 'npm:packed', '--yes', '--lock', 'other.lock.json'];
    expect((await bulkhead(...again)).stderr).toContain(names);
    expect(await bulkhead(...again, '--packages', 'together')).toMatchObject({ code: 0 });
  });

  it('is deleted from the store when no lock file names it', async () => {
    registry.publish({ ...plugins['pandora']?.('leaves'), name: 'leaves' });
    await bulkhead('add', '--user', 'npm:leaves', '--yes');
    const named = () => stored().filter((one) => one.startsWith('leaves@'));
    expect(named()).toHaveLength(1);
    expect((await bulkhead('remove', '--user', '@me/leaves')).code).toBe(0);
    await bulkhead('store', 'gc');
    expect(named()).toEqual([]);
  });

  it('is not found in the registry of a project: the message says whose .npmrc is read', async () => {
    const { code, stderr } = await bulkhead('add', '--user', 'npm:nowhere', '--yes');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/nowhere was not fetched: npm view failed: .*E404/);
    expect(stderr).toContain('the registry of your own .npmrc');
  });
});
