import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/index.js';
import { expectBreath, fixture, openEngine, temporary } from './attempt.js';
import { type HostWatch, MAX_BLOCKED_MS, MAX_GROWTH_MB, watchHost } from './host-watch.js';

const SECRET = 'a-secret-of-the-host';

/** A copy of a hostile plugin beside what it must not read. */
function copyOf(hostile: string): { readonly home: string; readonly beside: string } {
  const beside = temporary();
  const home = join(beside, hostile);
  cpSync(fixture(hostile), home, { recursive: true });
  writeFileSync(join(beside, 'secret.json'), JSON.stringify({ secret: SECRET }));
  writeFileSync(join(beside, 'secret.txt'), SECRET);
  return { home, beside };
}

function everythingIn(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

describe('a plugin that is bundled with what is not its own', () => {
  it('gets no byte of the host into a bundle, a result, a message or the cache', async () => {
    const { home, beside } = copyOf('steals-at-load');
    symlinkSync(join(beside, 'secret.json'), join(home, 'src/linked.json'));
    writeFileSync(
      join(home, 'src/query.ts'),
      `import secret from './linked.json';\nexport const tools = [{ id: 'linked', execute: () => secret }];`,
    );
    const cacheDirectory = join(beside, 'cache');
    await using engine = await openEngine({ plugins: [home], cacheDirectory });
    const [plugin] = engine.plugins();
    const told = [JSON.stringify(plugin)];
    for (const { id } of plugin?.tools ?? []) told.push(JSON.stringify(await engine.call(id, {})));
    expect(plugin?.tools.map(({ tool }) => tool).toSorted()).toEqual([
      'computed',
      'glob',
      'meta',
      'source-map',
    ]);
    expect(told.join('\n')).not.toMatch(new RegExp(`${SECRET}|root:`));
    expect(everythingIn(cacheDirectory)).not.toMatch(new RegExp(`${SECRET}|root:.*:0:0`));
    expect(plugin?.problems.filter(({ code }) => code === 'OUTSIDE_PLUGIN').length).toBeGreaterThan(
      7,
    );
  });

  it('does not have a script of its package run', async () => {
    const { home } = copyOf('steals-at-load');
    await using engine = await openEngine({ plugins: [home] });
    expect(engine.plugins()).toHaveLength(1);
    expect(existsSync(join(home, 'installed'))).toBe(false);
  });
});

describe('a plugin that does its worst before anybody called it', () => {
  /** In which a process of this machine loads what does no harm, with time to spare. */
  let loadMs = 0;
  let engine: Engine | undefined;
  let worst: Awaited<ReturnType<HostWatch['stop']>>;
  let tookMs = 0;

  beforeAll(async () => {
    const host = await watchHost();
    const harmlessBegan = performance.now();
    await (await openEngine({ plugins: [fixture('lives-on')] })).close();
    loadMs = Math.ceil(Math.max(1_000, 5 * (performance.now() - harmlessBegan)));
    const began = performance.now();
    engine = await openEngine({
      plugins: [fixture('hangs-at-load')],
      limits: { loadTimeoutMs: loadMs, maxCrashes: 1_000 },
    });
    tookMs = performance.now() - began;
    worst = await host.stop();
    return () => engine?.close();
  });

  it('does not prevent its other entries or the host from running', async () => {
    if (engine === undefined) throw new Error('not loaded');
    await expectBreath(engine, 'hangs-at-load');
    expect(worst.blockedMs).toBeLessThan(MAX_BLOCKED_MS);
    expect(worst.grownMb).toBeLessThan(MAX_GROWTH_MB);
    // Load, and then the description, each within its time, which a busy machine triples at most.
    expect(tookMs).toBeLessThan(3 * 2 * loadMs + 5_000);
  });

  it('has an error for each of them', () => {
    const codes = engine?.plugins()[0]?.problems.map(({ code }) => code) ?? [];
    const count = (code: string): number => codes.filter((one) => one === code).length;
    // Loops, waits without an end, and whatever grows slower than that.
    const stopped = count('DEADLINE_EXCEEDED') + count('GUEST_OUT_OF_MEMORY');
    // The codes are for the message of a failure.
    expect({ stopped, codes }).toSatisfy(
      (found: { readonly stopped: number }) => found.stopped >= 8,
    );
    expect(count('LOAD_FAILED')).toBeLessThanOrEqual(2);
    expect(count('INVALID_TOOL')).toBeGreaterThan(10);
  });
});

describe('an invalid or almost empty plugin', () => {
  /** Manifests and what stands in their place. Each is refused by itself, in words of its own. */
  const manifest = (more: object): string =>
    JSON.stringify({
      manifestVersion: 1,
      id: 'x',
      name: 'x',
      pandora: '>=0.1.0',
      provides: {},
      ...more,
    });
  const odd: Readonly<Record<string, string>> = {
    nothing: '',
    'no-json': '{',
    'a-list': '[]',
    'a-number': '1',
    deep: `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    'deep-inside': manifest({}).replace('{}', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
    huge: manifest({ description: 'x'.repeat(300_000) }),
    'an-entry-outside': manifest({ provides: { tools: { entry: '../../../etc/passwd' } } }),
    'an-absolute-entry': manifest({ provides: { tools: { entry: '/etc/passwd' } } }),
    'an-entry-with-a-nul': manifest({ provides: { tools: { entry: './a\0.ts' } } }),
    'an-id-with-lines': manifest({ id: 'a\nb' }),
    'an-id-with-a-colon': manifest({ id: 'a:b' }),
    'an-id-that-is-an-object': manifest({ id: { toString: 1 } }),
    'unknown-keys': manifest({ constructor: 1, hostMode: true }),
  };

  it('is refused, and does not affect the others', async () => {
    const root = temporary();
    for (const [name, text] of Object.entries(odd)) {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, 'pandora.manifest.json'), text);
    }
    for (const name of ['a-pipe', 'a-link', 'a-directory', 'an-endless-device'])
      mkdirSync(join(root, name));
    const at = (name: string): string => join(root, name, 'pandora.manifest.json');
    execFileSync('mkfifo', [at('a-pipe')]);
    symlinkSync('/etc/passwd', at('a-link'));
    symlinkSync('/dev/zero', at('an-endless-device'));
    mkdirSync(at('a-directory'));
    cpSync(fixture('lives-on'), join(root, 'lives-on'), { recursive: true });

    const host = await watchHost();
    await using engine = await openEngine({ plugins: [root] });
    const { blockedMs, grownMb } = await host.stop();
    await expectBreath(engine, 'lives-on');
    const states = engine.plugins().map(({ id, state }) => `${id}: ${state}`);
    expect(states.filter((state) => state.endsWith('active'))).toEqual([
      // What is deep and unknown is not looked into.
      'x: active',
      'lives-on: active',
    ]);
    expect(states.length).toBeGreaterThanOrEqual(Object.keys(odd).length + 2);
    expect(JSON.stringify(engine.plugins())).not.toContain('root:');
    expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
    expect(grownMb).toBeLessThan(MAX_GROWTH_MB);
  });
});

describe('a plugin of more files than anybody wrote', () => {
  const write = (count: number): string => {
    const home = join(temporary(), 'huge');
    mkdirSync(join(home, 'src'), { recursive: true });
    const provides = { tools: { entry: './src/0.ts' } };
    writeFileSync(
      join(home, 'pandora.manifest.json'),
      JSON.stringify({
        manifestVersion: 1,
        id: 'huge',
        name: 'huge',
        pandora: '>=0.1.0',
        provides,
      }),
    );
    for (let at = 0; at < count; at += 1) {
      writeFileSync(
        join(home, `src/${at}.ts`),
        `import { n as m } from './${at + 1}.ts';\nexport const n: number = m + 1;`,
      );
    }
    writeFileSync(join(home, `src/${count}.ts`), 'export const n = 0;');
    writeFileSync(
      join(home, 'src/0.ts'),
      `import { n } from './1.ts';\nexport const tools = [{ id: 'breathe', execute: () => n === ${count - 1} ? 'still here' : n }];`,
    );
    return home;
  };

  it('is bundled apart from the host, which goes on meanwhile', async () => {
    const home = write(400);
    const host = await watchHost();
    await using engine = await openEngine({ plugins: [home] });
    const { blockedMs } = await host.stop();
    await expectBreath(engine, 'huge');
    expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
  });
});
