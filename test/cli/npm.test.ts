import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { makeServer, plainProgram } from '../engine/mcp-on-disk.js';
import type { CliCapabilities } from '../../src/cli/capabilities.js';
import { runFake } from './fake.js';
import { run } from './in-process.js';
import { MAIN } from './spawned.js';

const home = mkdtempSync(join(tmpdir(), 'bulkhead-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const SESSION = [
  {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list', params: {} },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('');

/** Starts `bulkhead run` as a client does, in a directory that anybody may have written. */
function runAsClient(
  named: string,
  cwd: string = tmpdir(),
): {
  readonly names: readonly string[];
  readonly stderr: string;
} {
  const { stdout, stderr } = spawnSync(process.execPath, [MAIN, 'run', named], {
    input: SESSION,
    encoding: 'utf8',
    cwd,
    env: { HOME: home, PATH: process.env['PATH'] },
  });
  const names = stdout
    .trim()
    .split('\n')
    .map((line): { id: number; result?: { tools?: { name: string }[] } } => JSON.parse(line))
    .flatMap(({ result }) => result?.tools ?? [])
    .map(({ name }) => name);
  return { names, stderr };
}

describe('bulkhead run', () => {
  it('starts only what the user has accepted, under the names of its own tools', async () => {
    const before = runAsClient('npm:@scope/notes');
    expect(before.names).toEqual(['bulkhead_setup']);
    expect(before.stderr).toMatch(
      /npx bulkhead add --user 'npm:@scope\/notes'|add --user npm:@scope\/notes/,
    );

    const directory = makeServer({
      name: '@scope/notes',
      program: plainProgram('return text(1);'),
    });
    const added = await run(['add', '--user', directory, '--yes'], { home });
    expect(added.stdout).toMatch(/added @scope\/notes/);
    expect(runAsClient('npm:@scope/notes').names).toEqual(['run']);
    // Another version than the accepted one is not started.
    expect(runAsClient('npm:@scope/notes@2.0.0').names).toEqual(['bulkhead_setup']);
    // `notes` is another package than `@scope/notes`.
    expect(runAsClient('npm:notes').names).toEqual(['bulkhead_setup']);
  });

  it('takes nothing from the directory in which a client starts it', async () => {
    const hostile = mkdtempSync(join(tmpdir(), 'bulkhead-hostile-'));
    const marker = join(hostile, 'ran');
    try {
      const directory = makeServer({ name: 'evil', program: plainProgram('return text(1);') });
      // A lock file that accepts the server, and all that could start or fetch something.
      const lock = join(hostile, 'bulkhead.lock.json');
      expect((await run(['add', '--lock', lock, directory, '--yes'], { home })).code).toBe(0);
      const files = {
        'bulkhead.config.json': JSON.stringify({ plugins: [directory], grant: 'declared' }),
        '.npmrc': 'registry=http://127.0.0.1:9/\nscript-shell=./npm\n',
        'package.json': JSON.stringify({ name: 'evil', bin: './npm' }),
      };
      for (const [name, text] of Object.entries(files)) writeFileSync(join(hostile, name), text);
      for (const name of ['npm', 'node', 'npx']) {
        writeFileSync(join(hostile, name), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
      }
      expect(runAsClient('npm:evil', hostile).names).toEqual(['bulkhead_setup']);
      expect(existsSync(marker)).toBe(false);
    } finally {
      rmSync(hostile, { recursive: true, force: true });
    }
  });

  it('offers on a terminal to add the server first, and serves nothing if the person declines', async () => {
    const fetched: string[] = [];
    const packages: CliCapabilities['packages'] = {
      directory: '/store',
      describe: () => undefined,
      removeOthers: () => [],
      fetchCommit: () => Promise.reject(new Error('there is no repository')),
      commitOf: () => undefined,
      fetch: async ({ name, version }) => {
        fetched.push(`${name}@${version}`);
        return {
          name,
          version: '1.0.0',
          directory: '/store/notes',
          publishedAtMs: Date.now(),
          origin: { publisher: 'ada', provenance: 'none' },
          packages: 1,
        };
      },
    };
    const lock = {
      path: '/home/ada/bulkhead.lock.json',
      read: () => ({ version: 2, plugins: {} }),
      inspect: (directory: string) => Promise.reject(new Error(`it inspected ${directory}`)),
    } as never;
    const fake = { packages, lock, environment: { HOME: '/home/ada' } };
    const declined = await runFake(['run', 'npm:notes'], { ...fake, ask: async () => '' });
    expect(declined.code).toBe(4);
    expect(declined.stderr.text).toMatch(/notes is not accepted yet/);
    const taken = await runFake(['run', 'npm:notes'], { ...fake, ask: async () => '1.0.0' });
    expect(taken.stderr.text).toMatch(/it inspected \/store\/notes/);
    expect(taken.stdout.text).toBe('');
    expect(fetched).toEqual(['notes@latest', 'notes@latest']);
  });
});

it('a running server follows what the user disables and enables', async () => {
  const directory = makeServer({ name: 'followed', program: plainProgram('return text(1);') });
  await run(['add', '--user', directory, '--yes'], { home });
  const child = spawn(process.execPath, [MAIN, 'run', 'npm:followed'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { HOME: home, PATH: process.env['PATH'] },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** Reads to the first line that contains the text. */
  const until = async (text: string): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the server ended without ${text}`);
      if (value.includes(text)) return value;
    }
  };
  let id = 2;
  /** Lists the tools at each report of a change, until they are these. */
  const untilListed = async (names: readonly string[]): Promise<void> => {
    for (;;) {
      id += 1;
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' })}\n`);
      const answer: { result: { tools: { name: string }[] } } = JSON.parse(
        await until(`"id":${id}`),
      );
      if (answer.result.tools.map(({ name }) => name).join() === names.join()) return;
      await until('notifications/tools/list_changed');
    }
  };
  try {
    child.stdin.write(SESSION);
    // The other accepted servers do not run.
    const listed: { result: { tools: { name: string }[] } } = JSON.parse(await until('"id":2'));
    expect(listed.result.tools.map(({ name }) => name)).toEqual(['run']);
    await run(['disable', '--user', 'followed'], { home });
    await untilListed([]);
    await run(['enable', '--user', 'followed'], { home });
    await untilListed(['run']);
  } finally {
    child.kill();
  }
});

it('bulkhead update gives a permission to the packages that were seen to use it', async () => {
  const directory = join(home, 'installed');
  makeServer(
    {
      name: 'fetcher',
      program: plainProgram("return text(await (await fetch('https://api.example.com/')).text());"),
    },
    join(directory, 'node_modules/fetcher'),
  );
  writeFileSync(
    join(directory, 'package.json'),
    JSON.stringify({ name: 'x', private: true, bulkhead: { server: 'fetcher' } }),
  );
  const lock = join(home, 'separate.lock.json');
  const given = (): unknown =>
    JSON.parse(readFileSync(lock, 'utf8')).plugins.fetcher.packages['node_modules/fetcher'].granted
      .network;
  const base = ['--lock', lock];
  const added = await run(['add', ...base, directory, '--packages', 'separate', '--yes'], { home });
  expect(added.code).toBe(0);
  expect(given()).toBeUndefined();
  const other = ['update', ...base, 'fetcher', '--allow', 'network:other.example.com'];
  await run(other, { home });
  expect(given()).toBeUndefined();
  await run(['update', ...base, 'fetcher', '--allow', 'network:api.example.com'], { home });
  expect(given()).toEqual(['https://api.example.com']);
});

it('bulkhead update gives what no package was seen to need to the package of the program', async () => {
  const directory = join(home, 'unseen');
  // Reading does not follow a computed name.
  const server = plainProgram(
    "return text(await (await globalThis[['fe', 'tch'].join('')]('https://api.example.com/')).text());",
  );
  makeServer({ name: 'unseen', program: server }, join(directory, 'node_modules/unseen'));
  writeFileSync(
    join(directory, 'package.json'),
    JSON.stringify({ name: 'x', private: true, bulkhead: { server: 'unseen' } }),
  );
  const lock = join(home, 'unseen.lock.json');
  const base = ['--lock', lock];
  const added = await run(['add', ...base, directory, '--packages', 'separate', '--yes'], { home });
  expect(added.code).toBe(0);
  const allow = ['--allow', 'network:api.example.com', '--allow', 'env:UNSEEN_KEY', '--accept'];
  expect(await run(['update', ...base, 'unseen', ...allow], { home })).toMatchObject({ code: 0 });
  const { packages } = JSON.parse(readFileSync(lock, 'utf8')).plugins.unseen;
  expect(packages['node_modules/unseen'].granted).toMatchObject({
    network: ['api.example.com'],
    env: ['UNSEEN_KEY'],
  });
});

describe('bulkhead add', () => {
  it('adds several, and one that is refused does not stop the others', async () => {
    const [first = '', second = ''] = ['one', 'two'].map((name) =>
      makeServer({ name, program: plainProgram('return text(1);') }),
    );
    const lock = join(home, 'several.lock.json');
    const args = ['add', '--lock', lock, first, join(home, 'absent'), second, '--yes'];
    const { code, stdout, stderr } = await run(args, { home });
    expect(code).toBe(4);
    expect(stderr).toMatch(/\[1\/3\][\s\S]*\[2\/3\][\s\S]*PLUGIN_NOT_FOUND[\s\S]*\[3\/3\]/);
    expect(stdout).toMatch(/added one to .*\nadded two to /);
    // A pattern that no shell has expanded.
    cpSync(first, join(home, 'vendor', 'one'), { recursive: true });
    cpSync(second, join(home, 'vendor', 'two'), { recursive: true });
    writeFileSync(join(home, 'vendor', 'README.md'), '');
    const all = ['add', '--lock', join(home, 'all.lock.json'), join(home, 'vendor/*'), '--yes'];
    expect((await run(all, { home })).stdout).toMatch(/^added one to .*\nadded two to .*\n$/);
    const none = await run(['add', join(home, 'vendor/one/node_modules/*'), '--yes'], { home });
    expect(none).toMatchObject({ code: 1 });
  });

  describe('of a version that is young, or whose origin changed', () => {
    const fetched = (publishedAtMs: number, origin: object = {}): CliCapabilities['packages'] => ({
      directory: '/store',
      describe: () => ({ name: 'young', publisher: 'ada', provenance: 'verified' }),
      removeOthers: () => [],
      fetchCommit: () => Promise.reject(new Error('there is no repository')),
      commitOf: () => undefined,
      fetch: async () => ({
        name: 'young',
        version: '1.0.0',
        directory: '/store/young',
        publishedAtMs,
        origin: { publisher: 'ada', provenance: 'verified', ...origin },
        packages: 1,
      }),
    });
    const lock = {
      idOf: (id: string) => id,
      directoryOf: () => '/store/old',
      read: () => ({ version: 2, plugins: {} }),
      inspect: () => Promise.reject(new Error('it was accepted')),
    } as never;
    const YOUNG = Date.now();

    it.each([
      ['is young', ['add', 'npm:young@1.0.0'], YOUNG, {}, /must be 24 h old/],
      ['has a new publisher', ['update', 'young'], 0, { publisher: 'eve' }, /published by eve/],
      [
        'lost its provenance',
        ['update', 'young'],
        0,
        { provenance: 'unknown' },
        /no verified provenance/,
      ],
    ])('refuses one that %s, and takes a yes that names it', async (_, args, at, origin, why) => {
      const packages = fetched(at, origin);
      const refused = await runFake(args, { packages, lock });
      expect(refused.code).toBe(4);
      expect(refused.stderr.text).toMatch(why);
      expect(refused.stderr.text).toMatch(/--accept-version 1\.0\.0/);
      const asked = await runFake(args, { packages, lock, ask: async () => 'yes' });
      expect(asked.stderr.text).toMatch(why);
      for (const spec of [{ ask: async () => '1.0.0' }, {}]) {
        const more = 'ask' in spec ? [] : ['--accept-version', '1.0.0'];
        const taken = await runFake([...args, ...more], { packages, lock, ...spec });
        expect(taken.stderr.text).toMatch(/it was accepted/);
      }
    });
  });

  it.each([
    [
      "import { spawn } from 'node:child_process'; spawn('id');",
      /needs a process: child_process\.spawn/,
    ],
    ["import net from 'node:net'; net.connect(80);", /needs sockets: net\.connect/],
  ])('and inspect refuse a program that needs what no permission allows: %s', async (code, why) => {
    const directory = makeServer({
      program: plainProgram(code.replace(/^.*; /, ''), code.replace(/;.*/, ';')),
    });
    const added = await run(['add', '--lock', join(home, 'x.lock.json'), directory, '--yes'], {
      home,
    });
    expect(added.code).toBe(3);
    expect(added.stderr).toMatch(why);
    const inspected = await run(['inspect', directory], { home });
    expect(inspected.code).toBe(3);
    expect(inspected.stderr).toMatch(why);
  });

  it('shows the hosts and variables that the code uses, and grants none without a terminal', async () => {
    const program = plainProgram(
      "return text(await (await fetch('https://api.example.com/' + process.env.EXAMPLE_KEY)).text());",
    );
    const directory = makeServer({ name: 'caller', program });
    const lock = join(home, 'y.lock.json');
    const { stderr, code } = await run(['add', '--lock', lock, directory, '--yes'], { home });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /none of them is granted; .*--allow \S*api\.example\.com\S* .*|--allow env:EXAMPLE_KEY/,
    );
    expect(stderr).toMatch(/Network: none\./);
  });

  it('asks for no host that the package declares', async () => {
    const directory = makeServer({
      name: 'declares',
      manifest: { bulkhead: { permissions: { network: ['api.example.com'] } } },
      program: plainProgram("return text(await (await fetch('https://api.example.com/')).text());"),
    });
    const lock = join(home, 'z.lock.json');
    const { stderr, code } = await run(['add', '--lock', lock, directory, '--yes'], { home });
    expect(code).toBe(0);
    expect(stderr).not.toContain('its own code uses');
    expect(stderr).toMatch(/Connect to api\.example\.com/);
  });
});
