import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { importServers } from '../../src/cli/client/import.js';
import { moveKeys, putBackKeys } from '../../src/cli/client/moved-keys.js';
import { readStart } from '../../src/cli/client/start.js';
import { makeServer, plainProgram } from '../engine/mcp-on-disk.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { fakeCapabilities } from './fake.js';
import { run } from './in-process.js';

const CURSOR = '.cursor/mcp.json';
const KEY = 'sk_test_1234567890';

const weather = makeServer({
  name: 'weather',
  program: plainProgram(
    "return text(await (await fetch('https://api.example.com/' + process.env.WEATHER_KEY)).text());",
    'if (!process.env.WEATHER_KEY) process.exit(1);',
  ),
});
const shell = makeServer({
  name: 'shell',
  program: plainProgram("spawn('id');", "import { spawn } from 'node:child_process';"),
});

function makeHome(): string {
  const home = makeDirectory();
  mkdirSync(dirname(join(home, CURSOR)), { recursive: true });
  writeFileSync(
    join(home, CURSOR),
    `{
  // my servers
  "mcpServers": {
    "weather": {
      "command": "node",
      "args": ["${weather}/server.js", "--units", "m", "--api-token=${KEY}", "${home}"],
      "env": { "WEATHER_KEY": "a-key-of-mine" },
      "disabled": false
    },
    "shell": { "command": "node", "args": ["${shell}/server.js"] },
    "clock": { "command": "uvx", "args": ["clock\\u001b[31m"] },
    "docs": { "url": "https://docs.example/mcp" }
  }
}
`,
  );
  return home;
}

const read = (home: string): string => readFileSync(join(home, CURSOR), 'utf8');

describe('bulkhead mcp --import', () => {
  let home = '';
  let before = '';
  beforeAll(() => {
    home = makeHome();
    before = read(home);
  });

  it('says first what would stop working and what stays unconfined, and changes nothing', async () => {
    const { code, stdout } = await run(['mcp', '--import', 'cursor'], { home });
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /weather would run confined\n {2}it would get\n {4}- Read the environment variable WEATHER_KEY\. .*its value stays/,
    );
    expect(stdout).toMatch(/it could no longer\n {4}- Connect to api\.example\.com.*server\.js:/);
    expect(stdout).toMatch(/To grant it: --allow network:https:\/\/api\.example\.com/);
    expect(stdout).toMatch(new RegExp(`--allow fs:${home}:rw`));
    expect(stdout).toMatch(/mcpServers\.shell: left alone, UNCONFINED: shell needs a process/);
    expect(stdout).toMatch(/mcpServers\.docs: left alone, UNCONFINED: it runs elsewhere/);
    expect(stdout).toMatch(/mcpServers\.clock: left alone, UNCONFINED: uvx does not start/);
    expect(stdout).not.toMatch(/sk_test|a-key-of-mine|\u001b/);
    expect(read(home)).toBe(before);
  });

  it('writes the accepted servers, with keys as references, and --uninstall restores the file', async () => {
    const { code, stdout } = await run(
      ['mcp', '--import', 'cursor', '--accept', '--allow', 'network:api.example.com'],
      { home },
    );
    expect(stdout).toMatch(/WEATHER_KEY only as a placeholder/);
    expect(code).toBe(0);
    const text = read(home);
    const { mcpServers } = JSON.parse(text.replace('// my servers', ''));
    expect(mcpServers.weather).toMatchObject({
      command: process.execPath,
      env: { WEATHER_KEY: 'a-key-of-mine', BULKHEAD_ARGUMENT_1: KEY },
      disabled: false,
    });
    expect(mcpServers.weather.args.slice(1)).toEqual([
      'run',
      'npm:weather',
      '--secret',
      'WEATHER_KEY=https://api.example.com',
      '--secret',
      'BULKHEAD_ARGUMENT_1=https://api.example.com',
      '--',
      '--units',
      'm',
      '--api-token={{BULKHEAD_ARGUMENT_1}}',
      home,
    ]);
    expect(mcpServers.shell.args).toEqual([`${shell}/server.js`]);
    const lock = readFileSync(join(home, '.config/bulkhead/bulkhead.lock.json'), 'utf8');
    expect(JSON.parse(lock).plugins.weather).toMatchObject({
      granted: {
        env: ['BULKHEAD_ARGUMENT_1', 'WEATHER_KEY'],
        network: ['https://api.example.com'],
      },
      // Listed although the program needs its variable.
      tools: { run: expect.anything() },
    });
    const record = readFileSync(join(home, '.config/bulkhead/imported.json'), 'utf8');
    expect(record).not.toContain(KEY);

    const again = await run(['mcp', '--import', 'cursor', '--server', 'weather'], { home });
    expect(again.stdout).toMatch(/Bulkhead starts it already[\s\S]*needs no change/);
    await run(['mcp', '--uninstall', 'cursor', '--accept'], { home });
    // A server that is accepted already is started in the same way.
    await run(['mcp', '--import', 'cursor', '--accept'], { home });
    expect(read(home)).toBe(text);
    await run(['mcp', '--uninstall', 'cursor', '--accept'], { home });
    expect(read(home).replaceAll(/\s/g, '')).toBe(before.replaceAll(/\s/g, ''));

    // A variable that came to the client's file later.
    writeFileSync(join(home, CURSOR), before.replace('"env": {', '"env": { "LATER": "1",'));
    const more = await run(['mcp', '--import', 'cursor', '--server', 'weather'], { home });
    expect(more.stdout).toMatch(
      /as you accepted it\n {2}it could no longer\n {4}- read the variable LATER, .* bulkhead update --user weather --allow env:LATER/,
    );
  });

  it.each([
    [['--import', 'emacs'], '--import takes one of'],
    [['--import', './absent.json'], './absent.json cannot be read'],
    [['--import', 'cursor', '--server', 'nothing'], 'has no server named nothing'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await run(['mcp', ...args], { home });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});

it('asks for each server at a terminal, and leaves alone what is not answered with yes', async () => {
  const questions: string[] = [];
  const capabilities = fakeCapabilities({
    environment: { HOME: '/home/ada' },
    files: {
      '/home/ada/.cursor/mcp.json': '{"mcpServers":{"a":{"command":"npx","args":["-y","a"]}}}',
    },
    lock: { read: () => ({ version: 2, plugins: {} }) } as never,
    packages: {
      directory: '/store',
      describe: () => undefined,
      removeOthers: () => [],
      fetchCommit: () => Promise.reject(new Error('there is no repository')),
      commitOf: () => undefined,
      fetch: async ({ name }) => ({
        name,
        version: '1.0.0',
        directory: '/store/a',
        publishedAtMs: 0,
        origin: { publisher: undefined, provenance: 'none' },
        packages: 1,
      }),
    },
    suggestion: {
      plugin: 'a',
      format: 'mcp-server',
      manifest: 'node_modules/a/package.json',
      permissions: {},
      items: [],
      open: [],
      hostPowers: [],
    },
    ask: async (question) => {
      questions.push(question);
      return 'y';
    },
  });
  await importServers({ import: 'cursor' }, capabilities);
  expect(questions).toHaveLength(1);
  expect(questions[0]).toContain('Confine a?');
  expect([...capabilities.written.keys()]).toEqual([]);
});

describe('an entry of a client', () => {
  it.each([
    [{ command: 'npx', args: ['-y', '@a/b@1.2.3', 'x'] }, '@a/b', '1.2.3', ['x']],
    [{ command: '/usr/bin/npx', args: ['a'] }, 'a', 'latest', []],
    [{ command: 'cmd', args: ['/c', 'npx', '-y', 'a'] }, 'a', 'latest', []],
    [{ command: 'C:\\node\\npx.cmd', args: ['a', '-y'] }, 'a', 'latest', ['-y']],
    [{ command: 'npm', args: ['exec', '--', 'a', '--port=1'] }, 'a', 'latest', ['--port=1']],
    [{ command: 'bunx', args: ['a'] }, 'a', 'latest', []],
  ])('%j starts a package', (entry, name, version, args) => {
    expect(readStart(entry)).toEqual({ kind: 'package', spec: { name, version }, args });
  });

  it.each([
    [{ command: 'npx', args: ['-p', 'a', 'b'] }, 'npx has the option -p'],
    [{ command: 'npx', args: ['-y'] }, 'names no package'],
    [{ command: 'npx', args: ['https://x.example/a.tgz'] }, 'is not a package of a registry'],
    [{ command: 'npx', args: ['./here'] }, 'is not a package of a registry'],
    [{ command: 'node', args: ['--inspect', 'a.js'] }, 'options of its own'],
    [{ command: 'docker', args: ['run', 'a'] }, 'docker does not start a package'],
    [{ type: 'http' }, 'it runs elsewhere'],
    [{ command: ['npx'] }, 'it has no command'],
    [{ command: 'npx', args: [1] }, 'it has no command'],
    ['npx a', 'it has no command'],
  ])('%j is left alone', (entry, why) => {
    expect(readStart(entry)).toMatchObject({ kind: 'other', why: expect.stringContaining(why) });
  });
});

it('moves keys out of arguments, and puts them back', () => {
  const token = `ghp_${'a'.repeat(36)}`;
  const args = ['--api-key', 'first', '--port', '1', `--x=${token}`, token, '--auth-token'];
  const moved = moveKeys(args, new Set(['BULKHEAD_ARGUMENT_1']));
  expect(moved.variables).toEqual({
    BULKHEAD_ARGUMENT_2: 'first',
    BULKHEAD_ARGUMENT_3: `--x=${token}`,
    BULKHEAD_ARGUMENT_4: token,
  });
  expect(moved.args.join(' ')).not.toContain(token);
  expect(putBackKeys(moved.args, moved.variables)).toEqual(args);
});
