import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
