import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openInstance } from '../../src/engine/instance/open-instance.js';
import type { InstanceSpec } from '../../src/engine/instance/instance.js';
import type { Engine, EngineOptions } from '../../src/index.js';
import { type Lockfile, openLockfile } from '../../src/entry-points/lock.js';
import { makeDirectory, makePlugin, silentLogger, startEngine } from '../engine/plugin-on-disk.js';
import { makeVellum, type VellumSpec } from '../engine/vellum-on-disk.js';
import { makeCache } from '../run-directory.js';

const SAFE = {
  id: 'turncoat',
  permissions: { time: true, random: true },
  tools: { run: "() => 'harmless'" },
};
const HOSTILE = { ...SAFE, tools: { run: "() => 'hostile'" } };

interface Place {
  readonly directory: string;
  readonly lockFile: string;
  readonly book: Lockfile;
}

async function accepted(write: (directory: string) => void, unconfined = false): Promise<Place> {
  const root = makeDirectory();
  const directory = join(root, 'plugins', 'turncoat');
  mkdirSync(directory, { recursive: true });
  write(directory);
  const lockFile = join(root, 'bulkhead.lock.json');
  const options: EngineOptions = {
    plugins: [],
    cacheDirectory: makeCache(join(root, 'cache')),
    logger: silentLogger,
    env: {},
    limits: { pool: 0 },
  };
  const book = openLockfile(lockFile, options);
  const inspected = await book.inspect(directory);
  book.accept(inspected, { granted: inspected.declared, by: 'ada', unconfined });
  return { directory, lockFile, book };
}

const run = async (engine: Engine): Promise<unknown> => (await engine.call('run', {})).value;

describe('changed code of a running, locked plugin does not run', () => {
  it('after the plugin is switched off and on', async () => {
    const { directory, lockFile } = await accepted((at) => makePlugin(SAFE, at));
    const engine = await startEngine([], { lockFile });
    makePlugin(HOSTILE, directory);
    await engine.setEnabled('turncoat', false);
    await engine.setEnabled('turncoat', true);
    expect(await run(engine)).toBe('harmless');
  });

  it('after a new grant that installs it again', async () => {
    const { directory, lockFile } = await accepted((at) =>
      makePlugin({ ...SAFE, source: THROWS_WITHOUT_TIME }, at),
    );
    const engine = await startEngine([], { lockFile });
    await engine.revoke('turncoat', 'time');
    makePlugin(HOSTILE, directory);
    await engine.setEnabled('turncoat', false);
    await engine.grant('turncoat', 'time');
    await engine.setEnabled('turncoat', true);
    expect(await run(engine)).toBe('harmless');
  });

  it('if it changes between the comparison and the start of its guest', async () => {
    const { directory, lockFile } = await accepted((at) => makePlugin(SAFE, at));
    const engine = await startEngine([], {
      lockFile,
      // The configuration is read after the directory was compared with the lock file.
      config: () => {
        makePlugin(HOSTILE, directory);
        return {};
      },
    });
    expect(await run(engine)).toBe('harmless');
  });

  it('after the cache of bundles was replaced by its code', async () => {
    const { directory, lockFile } = await accepted((at) => makePlugin(SAFE, at));
    makePlugin(HOSTILE, directory);
    const cacheDirectory = makeDirectory();
    await run(await startEngine([directory], { cacheDirectory }));
    const engine = await startEngine([], { lockFile, cacheDirectory });
    expect(await run(engine)).toBe('harmless');
  });
});

const THROWS_WITHOUT_TIME = `const at = Date.now(); export const tools = [{ id: 'run', name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: () => 'harmless' }];`;

describe('the build of a tool that runs without a compartment', () => {
  const spec = (text: string): VellumSpec => ({
    name: 'turncoat',
    tools: {
      run: `import { say } from 'dep'; export default { executionTarget: 'host', description: 'd', execute: async () => ({ content: say, isError: false }) };`,
    },
    files: {
      'node_modules/dep/package.json': JSON.stringify({
        name: 'dep',
        version: '1.0.0',
        exports: { node: './node.js', default: './default.js' },
      }),
      'node_modules/dep/default.js': `export const say = 'compartment';`,
      'node_modules/dep/node.js': `export const say = ${JSON.stringify(text)};`,
    },
  });
  const options = { tolerance: 'full', grant: 'declared' } as const;

  it('is pinned: a changed file of its Node condition does not run', async () => {
    const { directory, lockFile, book } = await accepted(
      (at) => makeVellum(spec('first'), at),
      true,
    );
    expect(Object.keys(book.read().plugins['turncoat']?.bundles ?? {})).toEqual([
      'plugin',
      'plugin:host',
    ]);
    const before = await startEngine([], { lockFile, ...options });
    expect(await run(before)).toMatchObject({ content: 'first' });
    makeVellum(spec('hostile'), directory);
    expect(await book.check()).toEqual({ turncoat: 'changed' });
    const engine = await startEngine([], { lockFile, ...options });
    expect(await run(engine)).toMatchObject({ content: 'first' });
    expect(engine.plugins()[0]?.problems[0]?.code).toBe('UPDATE_PENDING');
  });

  it('does not run if the operator accepted the plugin for a compartment only', async () => {
    const { lockFile } = await accepted((at) => makeVellum(spec('first'), at));
    const engine = await startEngine([], { lockFile, ...options });
    await expect(run(engine)).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
  });
});

describe('the one place where code starts', () => {
  it('refuses code that is from no accepted artifact', () => {
    const lock = { admits: () => false };
    const spec = {
      plugin: { id: 'turncoat' },
      entry: { key: 'tools', confinement: 'compartment' },
      bundle: { code: 'hostile' },
      services: { settings: { lock } },
    };
    // oxlint-disable-next-line no-unsafe-type-assertion -- it is refused before anything else is read
    expect(() => openInstance(spec as unknown as InstanceSpec)).toThrow(
      expect.objectContaining({ code: 'NOT_LOCKED' }),
    );
  });

  it('does not run an artifact of another plugin, even if a lock file names its hash', async () => {
    const { directory, lockFile, book } = await accepted((at) => makePlugin(SAFE, at));
    const other = join(directory, '..', 'other');
    mkdirSync(other);
    makePlugin({ ...SAFE, id: 'other', tools: { run: "() => 'stolen'" } }, other);
    const inspected = await book.inspect(other);
    const { artifact } = book.accept(inspected, { granted: inspected.declared, by: 'ada' });
    book.remove('other');
    rmSync(directory, { recursive: true });
    const text = readFileSync(lockFile, 'utf8');
    const pinned = book.read().plugins['turncoat']?.artifact ?? '';
    writeFileSync(lockFile, text.replace(pinned, artifact));
    const engine = await startEngine([], { lockFile });
    await expect(run(engine)).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
    expect(engine.plugins()[0]?.problems[0]?.code).toBe('INVALID_ARTIFACT');
  });
});

describe('the approvals of an accepted plugin', () => {
  it('name the hash of its artifact', async () => {
    const { lockFile, book } = await accepted((at) =>
      makePlugin({ ...SAFE, entry: { requireApproval: true } }, at),
    );
    const seen: string[] = [];
    const engine = await startEngine([], {
      lockFile,
      approve: ({ bundle }) => {
        seen.push(bundle);
        return 'once';
      },
    });
    await run(engine);
    expect(seen).toEqual([book.read().plugins['turncoat']?.artifact]);
  });
});
