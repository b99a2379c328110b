import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseGitSpec } from '../../src/npm/spec.js';
import { packagedPlugins as systems } from '../../src/cli/packaged-plugins.js';
import { openPackageStore, type PackageStore } from '../../src/npm/store.js';
import { afterEachTest } from '../tidying.js';
import { type Repository, serveRepository } from './repository.js';

const root = mkdtempSync(join(tmpdir(), 'bulkhead-git-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const repositories: Repository[] = [];
afterEachTest(() => {
  for (const one of repositories.splice(0)) one.close();
});

async function serve(...args: Parameters<typeof serveRepository>): Promise<Repository> {
  const repository = await serveRepository(...args);
  repositories.push(repository);
  return repository;
}

/** Whether this machine has the walls around git. */
const hasWalls =
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status ===
  0;

function open(path = process.env['PATH']): PackageStore {
  const directory = mkdtempSync(join(root, 'store-'));
  return openPackageStore({ directory, environment: { HOME: root, PATH: path }, systems });
}

const manifest = (more: object = {}): string =>
  JSON.stringify({ name: '@scope/notes', version: '1.2.3', bin: 'server.js', ...more });

describe('a commit of a repository', () => {
  it('is fetched only behind walls, and otherwise refused with the remedy', async () => {
    const { url, commit } = await serve({ 'package.json': manifest() });
    const without = mkdtempSync(join(root, 'path-'));
    symlinkSync('/usr/bin/git', join(without, 'git'));
    await expect(open(without).fetchCommit({ url, commit })).rejects.toMatchObject({
      code: 'PACKAGE_REFUSED',
      message: expect.stringContaining('apt-get install git bubblewrap'),
    });
    const fetched = open().fetchCommit({ url, commit });
    if (!hasWalls) return expect(fetched).rejects.toThrow('bubblewrap');
    await expect(fetched).resolves.toMatchObject({ name: '@scope/notes', version: '1.2.3' });
  });

  it.runIf(hasWalls)('has its plain files, and nothing of it ran', async () => {
    const marker = join(root, 'ran');
    const script = `touch ${marker}`;
    const inner = await serve({ 'package.json': '{}' });
    const { url, commit } = await serve(
      {
        'package.json': manifest({
          scripts: { prepare: script, preinstall: script, install: script, postinstall: script },
        }),
        'server.js': 'export {};',
        'lib/deep/more.js': '1',
        '.npmrc': 'registry=http://evil.example',
        '.gitattributes': '*.js filter=evil',
        '.hidden/x.js': '1',
      },
      (git, directory) => {
        symlinkSync('/etc/passwd', join(directory, 'link.js'));
        mkdirSync(join(directory, '.git/hooks'), { recursive: true });
        writeFileSync(join(directory, '.git/hooks/post-checkout'), `#!/bin/sh\n${script}\n`, {
          mode: 0o755,
        });
        git('config', 'filter.evil.smudge', script);
        git('add', '--all');
        git('update-index', '--add', '--cacheinfo', `160000,${inner.commit},module`);
      },
    );
    const store = open();
    const stored = await store.fetchCommit({ url, commit });
    const place = join(stored.directory, 'node_modules/@scope/notes');
    expect(readdirSync(place).toSorted()).toEqual(['lib', 'package.json', 'server.js']);
    expect(readFileSync(join(place, 'lib/deep/more.js'), 'utf8')).toBe('1');
    expect(lstatSync(join(place, 'server.js')).mode & 0o222).toBe(0);
    expect(existsSync(marker)).toBe(false);
    expect(readdirSync(store.directory).filter((name) => name !== '.cache')).toHaveLength(1);
    expect(JSON.parse(readFileSync(join(stored.directory, 'package.json'), 'utf8'))).toMatchObject({
      bulkhead: { server: '@scope/notes', commit: `${url}#${commit}` },
    });
    // It has no newer version.
    expect(store.describe(stored.directory)).toBeUndefined();
  });

  it.runIf(hasWalls)(
    'is refused if it is not there, is no package, or its server fails',
    async () => {
      const { url, commit } = await serve({ 'package.json': manifest() });
      const store = open();
      await expect(store.fetchCommit({ url, commit: 'a'.repeat(40) })).rejects.toThrow(
        'git failed',
      );
      const bare = await serve({ 'README.md': 'no package' });
      await expect(store.fetchCommit(bare)).rejects.toThrow('it has no package.json at its top');
      const nameless = await serve({ 'package.json': '{"name":"../../evil"}' });
      await expect(store.fetchCommit(nameless)).rejects.toThrow('has no valid name');
      await expect(store.fetchCommit({ url: 'http://127.0.0.1:1/', commit })).rejects.toMatchObject(
        { code: 'PACKAGE_REFUSED' },
      );
      expect(readdirSync(store.directory)).toEqual(['.cache']);
    },
  );

  it.runIf(hasWalls)('is a plugin by another manifest, without a package', async () => {
    const extension = JSON.stringify({
      version: '1.0.0',
      name: 'Greets',
      identifier: 'greets',
      author: 'ada',
      github: 'https://github.com/ada/x',
      homepage: 'https://github.com/ada/x',
      permissions: [],
    });
    const { url, commit } = await serve({ 'spindle.json': extension, 'dist/backend.js': '1' });
    const store = open();
    await expect(store.fetchCommit({ url, commit })).rejects.toThrow('does not end with a name');
    const source = { url: `${url}Greets.git`, commit };
    const stored = await store.fetchCommit(source);
    expect(stored).toMatchObject({ name: 'greets', version: '0.0.0', packages: 1 });
    const file = join(stored.directory, 'spindle.json');
    expect(readFileSync(file, 'utf8')).toBe(extension);
    expect(store.commitOf(stored.directory)).toMatchObject({ ...source, name: stored.name });
    // What is inside a stored package has no origin of its own.
    expect(store.commitOf(join(stored.directory, 'dist'))).toBeUndefined();
    expect(store.removeOthers([stored.directory])).toEqual([]);
    expect(store.removeOthers([])).toHaveLength(1);
  });

  it.runIf(hasWalls)(
    'is refused if the id is that of a tag, or if it has too many files',
    async () => {
      let tag = '';
      const tagged = await serve({ 'package.json': manifest() }, (git, directory) => {
        git('commit', '--quiet', '--message', 'zero');
        git('tag', '--annotate', '--message', 'one', 'v1');
        tag = git('rev-parse', 'v1').trim();
        writeFileSync(join(directory, 'other'), 'x');
        git('add', '--all');
      });
      await expect(open().fetchCommit({ url: tagged.url, commit: tag })).rejects.toThrow(
        `it has no commit ${tag}`,
      );
      const large = await serve({ 'package.json': manifest() }, (git, directory) => {
        const blob = git('hash-object', '-w', 'package.json').trim();
        const lines = Array.from({ length: 20_001 }, (_, n) => `100644 ${blob}\tfile${n}\n`);
        execFileSync('git', ['update-index', '--index-info'], {
          cwd: directory,
          input: lines.join(''),
        });
      });
      await expect(open().fetchCommit(large)).rejects.toThrow('it has more than 20000 files');
    },
  );

  it.runIf(hasWalls)('is refused if a dependency does not come from a registry', async () => {
    for (const source of [
      'git+https://evil.example/x.git',
      'https://evil.example/x.tgz',
      'file:../x',
      'user/repository',
    ]) {
      const repository = await serve({ 'package.json': manifest({ dependencies: { x: source } }) });
      await expect(open().fetchCommit(repository)).rejects.toMatchObject({
        code: 'PACKAGE_REFUSED',
        message: expect.stringContaining('its dependency "x" does not come from a registry'),
      });
    }
  });
});

describe('the name of a commit', () => {
  const commit = 'a'.repeat(40);

  it('is a URL and a whole id', () => {
    expect(parseGitSpec(`git:https://host.example/a/b.git#${commit}`)).toEqual({
      url: 'https://host.example/a/b.git',
      commit,
    });
    expect(parseGitSpec(`git:http://127.0.0.1:8080/b#${commit}`).url).toBe(
      'http://127.0.0.1:8080/b',
    );
  });

  it.each([
    ['git:https://host.example/a', 'a branch, a tag or a short id'],
    ['git:https://host.example/a#main', 'a branch, a tag or a short id'],
    ['git:https://host.example/a#abcdef0', 'a branch, a tag or a short id'],
    [`git:https://host.example/a#${'A'.repeat(40)}`, 'a branch, a tag or a short id'],
    [`git:http://host.example/a#${commit}`, 'its URL is not at https:'],
    [`git:ssh://git@host.example/a#${commit}`, 'its URL is not at https:'],
    [`git:file:///srv/a#${commit}`, 'its URL is not at https:'],
    [`git:ext::sh -c id#${commit}`, 'its URL is not at https:'],
    [`git:--upload-pack=id#${commit}`, 'it has no URL'],
    [`git:https://ada:key@host.example/a#${commit}`, 'a user or a password'],
  ])('%s is not one', (text, why) => {
    expect(() => parseGitSpec(text)).toThrow(why);
  });
});
