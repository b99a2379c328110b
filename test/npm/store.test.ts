import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packagedPlugins as systems } from '../../src/cli/packaged-plugins.js';
import { openPackageStore, type PackageStore } from '../../src/npm/store.js';

const root = mkdtempSync(join(tmpdir(), 'bulkhead-npm-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** An npm that fetches nothing: it writes what it was asked, what it could do, and a package with a hidden file. */
const NPM = `
const { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } = require('node:fs');
const [, , command, ...args] = process.argv;
const cache = args.find((arg) => arg.startsWith('--cache=')).slice('--cache='.length);
const tried = (deed) => { try { deed(); return 'done'; } catch (error) { return error.code; } };
appendFileSync(cache + '/asked', JSON.stringify({ command, args, env: Object.keys(process.env), cwd: process.cwd(), deeds: {
  read: tried(() => readFileSync(${JSON.stringify(join(root, 'private'))})),
  settings: tried(() => readFileSync(${JSON.stringify(join(root, '.npmrc'))})),
  write: tried(() => writeFileSync(${JSON.stringify(join(root, 'private'))}, 'changed')),
  link: tried(() => symlinkSync('/etc/passwd', 'link')),
  start: tried(() => require('node:child_process').execFileSync('true')),
} }) + '\\n');
if (command === 'view') {
  if (args[0].startsWith('absent')) { console.error('npm error 404 absent'); process.exit(1); }
  console.log(JSON.stringify({ version: '1.2.3', time: { '1.2.3': '2026-01-01T00:00:00.000Z' },
    _npmUser: 'ada <ada@x.example>', ...(args[0].startsWith('attested') ? { 'dist.attestations': { url: 'x' } } : {}) }));
}
if (command === 'install') {
  writeFileSync('package-lock.json', JSON.stringify({ packages: { '': {}, 'node_modules/server': { integrity: 'sha512-' + 'A'.repeat(86) + '==' } } }));
}
if (command === 'audit') {
  const name = Object.keys(JSON.parse(require('node:fs').readFileSync('package.json')).dependencies)[0];
  if (name === 'attested-far') process.exit(1);
  console.log(JSON.stringify({ missing: [], invalid: name === 'attested-wrong' ? [{ name, version: '1.2.3' }] : [] }));
  process.exit(name === 'attested-wrong' ? 1 : 0);
}
if (command === 'ci') {
  mkdirSync('node_modules/server/.hidden', { recursive: true });
  writeFileSync('node_modules/server/index.js', '1');
  writeFileSync('node_modules/.package-lock.json', '{}');
}
`;

function open(name: string): PackageStore {
  const npm = join(root, 'npm', 'npm.cjs');
  mkdirSync(join(root, 'npm'), { recursive: true });
  writeFileSync(npm, NPM);
  const environment = {
    HOME: root,
    PATH: '/usr/bin',
    SECRET_KEY: 'x',
    npm_config_registry: 'http://x',
  };
  return openPackageStore({ directory: join(root, name), environment, systems, npm });
}

function readAsked(store: PackageStore): {
  command: string;
  args: string[];
  env: string[];
  cwd: string;
  deeds: Record<string, string>;
}[] {
  return readFileSync(join(store.directory, '.cache', 'asked'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('the store of packages', () => {
  it('runs npm behind walls: it writes into its own directory, and starts nothing', async () => {
    writeFileSync(join(root, 'private'), 'kept');
    writeFileSync(join(root, '.npmrc'), 'fund=false');
    const store = open('walls');
    await store.fetch({ name: 'server', version: 'latest' });
    const denied = 'ERR_ACCESS_DENIED';
    expect(readAsked(store).map(({ deeds }) => deeds)).toEqual(
      Array.from({ length: 3 }, () => ({
        read: denied,
        settings: 'done',
        write: denied,
        link: denied,
        start: denied,
      })),
    );
    expect(readFileSync(join(root, 'private'), 'utf8')).toBe('kept');
  });

  it('fetches without scripts, with few variables, and keeps plain files', async () => {
    const store = open('first');
    const stored = await store.fetch({ name: 'server', version: 'latest' });
    expect(stored).toMatchObject({
      name: 'server',
      version: '1.2.3',
      publishedAtMs: Date.parse('2026-01-01'),
      packages: 1,
    });
    const asked = readAsked(store);
    expect(asked.map(({ command }) => command)).toEqual(['view', 'install', 'ci']);
    for (const { command, args, env, cwd } of asked) {
      expect(env).not.toContain('SECRET_KEY');
      expect(env).not.toContain('npm_config_registry');
      expect(cwd.startsWith(store.directory)).toBe(true);
      if (command !== 'view') expect(args).toContain('--ignore-scripts');
    }
    const inside = join(stored.directory, 'node_modules');
    expect(readdirSync(inside)).toEqual(['server']);
    expect(readdirSync(join(inside, 'server'))).toEqual(['index.js']);
    expect(lstatSync(join(inside, 'server/index.js')).mode & 0o222).toBe(0);
    expect(store.describe(join(inside, 'server'))).toMatchObject({ name: 'server' });
    // What is beside the package has no origin of its own.
    expect(store.describe(inside)).toBeUndefined();
    const manifest: unknown = JSON.parse(
      readFileSync(join(stored.directory, 'package.json'), 'utf8'),
    );
    expect(manifest).toMatchObject({
      bulkhead: { server: 'server' },
      dependencies: { server: '1.2.3' },
    });
  });

  it('says what npm said, and leaves nothing', async () => {
    const store = open('second');
    await expect(store.fetch({ name: 'absent', version: '1.0.0' })).rejects.toThrow(/404 absent/);
    expect(readdirSync(store.directory)).toEqual(['.cache']);
  });

  it('verifies attestations with npm, and remembers where a package comes from', async () => {
    const store = open('attested');
    const fetch = (name: string) => store.fetch({ name, version: 'latest' });
    const verified = await fetch('attested-right');
    expect(verified.origin).toEqual({ publisher: 'ada', provenance: 'verified' });
    expect(store.describe(verified.directory)).toEqual({
      name: 'attested-right',
      publisher: 'ada',
      provenance: 'verified',
    });
    expect(store.describe(root)).toBeUndefined();
    // npm could not reach what it verifies with.
    expect((await fetch('attested-far')).origin.provenance).toBe('unknown');
    expect((await fetch('server')).origin.provenance).toBe('none');
    await expect(fetch('attested-wrong')).rejects.toThrow(
      /attestations are not valid: attested-wrong@1\.2\.3/,
    );
  });

  it('deletes what is not kept', async () => {
    const store = open('third');
    const { directory } = await store.fetch({ name: 'server', version: 'latest' });
    mkdirSync(join(store.directory, 'old'));
    expect(store.removeOthers([directory])).toEqual([join(store.directory, 'old')]);
    expect(store.removeOthers([])).toEqual([directory]);
    expect(existsSync(directory)).toBe(false);
  });
});
