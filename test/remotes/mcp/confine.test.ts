import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type ConfiningMachine, thisMachine } from '../../../src/remotes/mcp/confine.js';
import { openRemotes } from '../../../src/remotes/open.js';
import type { Confinement, Remote } from '../../../src/remotes/remote.js';
import { afterEachTest } from '../../tidying.js';
import { callOf, runRemote } from '../vertesia/server.js';
import { makeLogins, makePins, makeRemote } from './servers.js';

const SERVER = join(import.meta.dirname, 'shell-server.sh');

/** sandbox-runtime itself runs on older versions of Node than those for which Bulkhead offers it. */
const newer: ConfiningMachine = { ...thisMachine, node: '22.12.0' };

/** Whether this machine can confine: what is needed is installed, and the kernel allows it. */
const canConfine =
  (await thisMachine.missing()).length === 0 &&
  spawnSync('bwrap', ['--unshare-user', '--unshare-net', '--dev-bind', '/', '/', 'true']).status ===
    0;

const made: string[] = [];
const servers: Server[] = [];
afterEachTest(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

function makeDirectory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'bulkhead-confine-')));
  made.push(path);
  return path;
}

function start(
  confine: Confinement,
  more: Partial<ConfiningMachine> = {},
  args: string[] = [],
): Remote {
  // Its own directory holds no other file, so that nothing of this tree is named.
  const server = join(makeDirectory(), 'server.sh');
  copyFileSync(SERVER, server);
  return makeRemote(
    {
      id: 'shell',
      command: 'bash',
      args: [server, ...args],
      env: { SECRET_OF_SERVER: 'granted' },
      confine: { ...confine, fs: [...(confine.fs ?? []), server] },
    },
    makePins(),
    makeLogins(),
    { confining: { ...newer, ...more } },
  );
}

async function serve(): Promise<{ address: string; requests: () => number }> {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end('hello from outside');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
  };
}

async function does(remote: Remote, what: string, on = ''): Promise<string> {
  const answer = (await runRemote(remote, { ...callOf(), input: { what, on } }, 'deed')) as {
    content: { text: string }[];
  };
  return Buffer.from(answer.content[0]?.text ?? '', 'base64').toString();
}

async function problemOf(remote: Remote): Promise<string> {
  const { tools, problems } = await remote.load(new AbortController().signal);
  expect(tools).toEqual([]);
  return JSON.stringify(problems);
}

describe('a command that is confined', () => {
  it('is started only where it can be confined', async () => {
    const marker = join(makeDirectory(), 'started');
    const remote = start({ fs: [`${join(marker, '..')}:rw`] }, {}, [marker]);
    const { tools } = await remote.load(new AbortController().signal);
    expect(tools.length > 0).toBe(canConfine);
    expect(existsSync(marker)).toBe(canConfine);
    expect(remote.confinement).toBe('sandbox-runtime');
  });

  it.runIf(canConfine)('reads and writes what was named, and no other file', async () => {
    const directory = makeDirectory();
    const path = (name: string): string => join(directory, name);
    for (const name of ['notes', 'work', 'private']) {
      mkdirSync(path(name));
      writeFileSync(join(path(name), 'text'), `text of ${name}`);
    }
    const remote = start({ fs: [path('notes'), `${path('work')}:rw`] });
    expect(await does(remote, 'read', path('notes/text'))).toBe('text of notes');
    expect(await does(remote, 'read', path('work/text'))).toBe('text of work');
    expect(await does(remote, 'write', path('work/more'))).toBe('written\n');
    expect(readFileSync(path('work/more'), 'utf8')).toBe('written\n');
    expect(await does(remote, 'write', path('notes/more'))).toContain('Read-only file system');
    expect(await does(remote, 'read', path('private/text'))).toContain('No such file');
    for (const hidden of [process.cwd(), '/root', '/home', '/var']) {
      const listed = (await does(remote, 'list', hidden)).split('\n');
      const real = existsSync(hidden) ? readdirSync(hidden) : [];
      // The directories above the code of sandbox-runtime, without their other files.
      const above = real.filter((name) => newer.runtime()?.startsWith(join(hidden, name)));
      expect(real.filter((name) => listed.includes(name))).toEqual(above);
    }
    expect(await does(remote, 'read', '/etc/shadow')).toContain('No such file');
    expect(existsSync(path('notes/more'))).toBe(false);
  });

  it.runIf(canConfine)('reaches the hosts that were named, and no other', async () => {
    const [named, other] = [await serve(), await serve()];
    const remote = start({ hosts: [named.address] });
    expect(await does(remote, 'proxy', named.address)).toContain('hello from outside');
    expect(await does(remote, 'proxy', other.address)).not.toContain('hello from outside');
    expect(await does(remote, 'connect', named.address)).not.toContain('connected');
    expect(await does(remote, 'connect', other.address)).not.toContain('connected');
    expect([named.requests(), other.requests()]).toEqual([1, 0]);
  });

  it.runIf(canConfine)(
    'has its own variables and a home of its own, which ends with it',
    async () => {
      vi.stubEnv('BULKHEAD_TEST_SECRET', 'of the host');
      const remote = start({});
      const variables = await does(remote, 'variables');
      expect(variables).toContain('SECRET_OF_SERVER=granted');
      expect(variables).not.toContain('of the host');
      const [, home = ''] = /^HOME=(.+)$/m.exec(variables) ?? [];
      expect(await does(remote, 'write', join(home, 'state'))).toBe('written\n');
      expect(existsSync(join(home, 'state'))).toBe(true);
      expect(await does(remote, 'list', join(home, '..'))).not.toContain('settings.json');
      await remote.close();
      expect(existsSync(join(home, '..'))).toBe(false);
    },
  );

  it.runIf(canConfine)('cannot end processes of the host, and ends itself', async () => {
    const remote = start({});
    await expect(does(remote, 'end')).rejects.toMatchObject({ code: 'REMOTE_FAILED' });
    expect(await does(remote, 'list', '/usr')).toContain('bin');
  });
});

describe('a command that cannot be confined', () => {
  it('is refused with the remedy, and not started', async () => {
    const marker = join(makeDirectory(), 'started');
    const cases: readonly (readonly [Partial<ConfiningMachine>, string])[] = [
      [{ node: '22.11.9' }, 'confine needs Node 22.12.0 or later, and this is Node 22.11.9'],
      [{ platform: 'darwin' }, 'confine works on Linux only, and this is darwin'],
      [{ runtime: () => undefined }, 'npm i @anthropic-ai/sandbox-runtime@~0.0.78'],
      [
        { missing: () => Promise.resolve(['socat not installed']) },
        'socat not installed. On Debian, run: apt-get install bubblewrap socat ripgrep',
      ],
    ];
    for (const [machine, words] of cases) {
      expect(await problemOf(start({}, machine, [marker]))).toContain(words);
    }
    expect(existsSync(marker)).toBe(false);
  });

  it('knows which programs are missing', async () => {
    vi.stubEnv('PATH', makeDirectory());
    expect(await thisMachine.missing()).toEqual(
      expect.arrayContaining([expect.stringContaining('bwrap'), 'socat not installed']),
    );
  });

  it('is refused if its program or a named directory is not there', async () => {
    const present = { missing: () => Promise.resolve([]), runtime: () => import.meta.dirname };
    expect(await problemOf(start({ fs: ['/nowhere/at/all'] }, present))).toContain(
      '/nowhere/at/all does not exist',
    );
    const hidden = makeDirectory();
    writeFileSync(join(hidden, 'program'), '#!/bin/bash\n', { mode: 0o755 });
    const remote = makeRemote(
      { id: 'shell', command: join(hidden, 'program'), confine: {} },
      makePins(),
      makeLogins(),
      { confining: { ...newer, ...present } },
    );
    expect(await problemOf(remote)).toContain(`for example \\"${hidden}\\"`);
  });

  it('is refused before anything starts if its hosts or paths are not valid', () => {
    const open = (confine: Confinement): unknown =>
      openRemotes([{ id: 'shell', command: 'bash', confine }], {
        identity: { tokenFor: () => Promise.resolve(''), jwks: () => Promise.resolve({}) },
        pins: makePins(),
        logins: makeLogins(),
        network: {},
      });
    const wrong: readonly (readonly [Confinement, string])[] = [
      [{ hosts: ['*'] }, 'it would cover every host'],
      [{ hosts: ['GET api.example.com'] }, 'methods cannot be confined'],
      [{ hosts: ['https://api.example.com/path'] }, 'it names hosts, not paths'],
      [{ fs: ['/'] }, 'it is every file'],
      [{ fs: ['./notes/../../../../../../../../..'] }, 'it is every file'],
      [{ fs: ['/srv/*.txt'] }, 'a path is not a pattern'],
      [{ fs: ['~/notes'] }, '"~" is not expanded'],
      [{ fs: [''] }, 'it is empty'],
    ];
    for (const [confine, words] of wrong) {
      expect(() => open(confine)).toThrow(words);
    }
  });
});
