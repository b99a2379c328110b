import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeServer, plainProgram } from '../engine/mcp-on-disk.js';
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
function runAsClient(named: string): {
  readonly names: readonly string[];
  readonly stderr: string;
} {
  const { stdout, stderr } = spawnSync(process.execPath, [MAIN, 'run', named], {
    input: SESSION,
    encoding: 'utf8',
    cwd: tmpdir(),
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
  });
});

describe('bulkhead add', () => {
  it('refuses a version of npm that is too young, by its name', async () => {
    const { code, stderr } = await runFake(['add', 'npm:young@1.0.0'], {
      packages: {
        directory: '/store',
        removeOthers: () => [],
        // The fake's clock is at the time of its publication.
        fetch: async () => ({
          name: 'young',
          version: '1.0.0',
          directory: '/store/young',
          publishedAtMs: Date.now() - 3_600_000,
          packages: 1,
        }),
      },
      lock: {} as never,
    });
    expect(code).toBe(4);
    expect(stderr.text).toMatch(/young@1\.0\.0 was published .* must be 24 h old.*--min-age 0/s);
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
});
