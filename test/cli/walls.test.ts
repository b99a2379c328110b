import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guestScripts } from '../../src/engine/node/process-defaults.js';
import { inspectMachine } from '../../src/guests/machine.js';
import { ROOT } from '../architecture/sources.js';
import { runFake } from './fake.js';
import { MAIN, start } from './spawned.js';
import { afterEachFile } from '../tidying.js';
import type { Guarantee } from '../../src/index.js';

const machine = await inspectMachine(guestScripts.confined());
const { plan, superuser } = machine;
const PERL = '/usr/bin/perl';
const SETPRIV = '/usr/bin/setpriv';
const canRun = plan.builder === 'perl' && plan.systemCallFilter;

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-walls-'));
chmodSync(directory, 0o755);
afterEachFile(() => rmSync(directory, { recursive: true, force: true }));

const secret = join(directory, 'secret');
writeFileSync(secret, 'in the clear');
const folder = join(directory, 'folder');
mkdirSync(folder);
writeFileSync(join(folder, 'note'), 'shown');

interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Run = (...args: readonly string[]) => Result;

const asThisUser: Run = (...args) => walls([process.execPath, MAIN], args);

function walls([file = '', ...before]: readonly string[], args: readonly string[]): Result {
  const { status, stdout, stderr } = spawnSync(file, [...before, 'walls', ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
    cwd: '/',
    input: 'from outside',
    env: { PATH: '/usr/bin:/bin', HOME: folder, XDG_CACHE_HOME: join(directory, 'cache') },
  });
  return { status, stdout, stderr };
}

/** The number of a user without an account. */
const ORDINARY = 1000;

/** The installed package, copied to a place that every user can read. */
function copyOfPackage(): string {
  const copy = join(directory, 'package');
  const { dependencies }: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  for (const path of [
    'package.json',
    'dist/lib',
    'dist/sandbox',
    'dist/validator.js',
    'types',
    ...Object.keys(dependencies).map((name) => join('node_modules', name)),
  ]) {
    cpSync(join(ROOT, path), join(copy, path), { recursive: true, dereference: true });
  }
  return join(copy, 'dist/lib/cli/main.cjs');
}

const isReadable =
  superuser &&
  spawnSync(SETPRIV, [`--reuid=${ORDINARY}`, '--clear-groups', process.execPath, '--version'])
    .status === 0;

const asOrdinary: Run = (() => {
  let main: string | undefined;
  return (...args) => {
    main ??= copyOfPackage();
    mkdirSync(join(directory, 'cache'), { recursive: true });
    chmodSync(join(directory, 'cache'), 0o1777);
    return walls(
      [
        SETPRIV,
        `--reuid=${ORDINARY}`,
        `--regid=${ORDINARY}`,
        '--clear-groups',
        process.execPath,
        main,
      ],
      args,
    );
  };
})();

const USERS: readonly [string, Run, boolean][] = [
  [superuser ? 'root' : 'an ordinary user', asThisUser, canRun],
  ...(superuser ? [['uid 1000', asOrdinary, canRun && isReadable] as [string, Run, boolean]] : []),
];

describe.each(USERS)('bulkhead walls, run by %s', (_, run, can) => {
  it.skipIf(!can)('lists the walls and what builds them', () => {
    const { status, stdout, stderr } = run('--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const report = JSON.parse(stdout) as {
      readonly ok: boolean;
      readonly builder: string;
      readonly ownRoot: boolean;
      readonly walls: readonly Guarantee[];
    };
    expect(report).toMatchObject({ ok: true, builder: 'perl', systemCallFilter: true });
    const missing = report.walls.filter(({ active, unused }) => !active && !unused);
    // Without a root of its own, Landlock leaves names visible, and the walls say so.
    if (report.ownRoot) expect(missing).toEqual([]);
    expect(report.walls.length).toBeGreaterThan(20);
  });

  it.skipIf(!can)('runs a program that sees itself and nothing else', () => {
    const look = `print -e '${secret}' && open(F, '<', '${secret}') ? 'sees it' : 'does not'`;
    expect(run('--show', '/usr', '--', 'perl', '-e', look)).toMatchObject({
      status: 0,
      stdout: 'does not',
    });
    const read = `open(F, '<', $_) and print <F> for @ARGV`;
    const note = join(folder, 'note');
    const { stdout } = run(
      '--show',
      '/usr',
      '--show',
      folder,
      '--',
      PERL,
      '-e',
      read,
      note,
      secret,
    );
    expect(stdout).toBe('shown');
  });

  it.skipIf(!can)('shows a path read-only', () => {
    const write = `open(F, '+<', $_) || utime(1, 1, $_) || unlink($_) and print 'changed' for @ARGV`;
    const note = join(folder, 'note');
    chmodSync(note, 0o666);
    chmodSync(folder, 0o777);
    const { status, stdout } = run(
      '--show',
      '/usr',
      '--show',
      folder,
      '--',
      PERL,
      '-e',
      write,
      note,
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(readFileSync(note, 'utf8')).toBe('shown');
  });

  it.skipIf(!can)('refuses the program what a guest is refused', () => {
    const attempts = `
      my $host = getppid; my $child = fork; exit 0 if defined $child && !$child;
      print defined $child ? 'forked ' : '', socket(S, 2, 1, 0) ? 'socket ' : '',
        join(' ', sort keys %ENV), "\\n"`;
    const { status, stdout } = run('--show', '/usr', '--', PERL, '-e', attempts);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: 'LANG LC_ALL MALLOC_MMAP_THRESHOLD_ MALLOC_TRIM_THRESHOLD_ OPENSSL_CONF TZ\n',
    });
  });

  it.skipIf(!can)('passes the streams on, and exits with the status of the program', () => {
    const echo = `print STDOUT 'got ' . <STDIN>; print STDERR 'and an error'; exit 42`;
    expect(run('--show', '/usr', '--', PERL, '-e', echo)).toEqual({
      status: 42,
      stdout: 'got from outside',
      stderr: 'and an error',
    });
    const much = run('--show', '/usr', '--', PERL, '-e', `print 'x' x 3_000_000`);
    expect(much.stdout.length).toBe(3_000_000);
    // Killed by a signal, as in a shell.
    expect(run('--show', '/usr', '--', PERL, '-e', `kill 'KILL', $$`).status).toBe(128 + 9);
  });

  it.skipIf(!can)('says how to show a program that is hidden', () => {
    expect(run('--', PERL, '-e', '1')).toMatchObject({
      status: 71,
      stdout: '',
      stderr: expect.stringContaining('show them: --show /usr'),
    });
  });
});

describe('bulkhead walls', () => {
  it.skipIf(!canRun)(
    'ends its program when it is stopped',
    async () => {
      const child = start([
        'walls',
        '--show',
        '/usr',
        '--',
        PERL,
        '-e',
        '$| = 1; print $$; sleep 60',
      ]);
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      await new Promise((resolve) => child.stdout.once('data', resolve));
      child.kill('SIGTERM');
      // Without the signal, the test would take a minute.
      expect(await ended).not.toBe(0);
    },
    30_000,
  );

  it.each([
    ['a path that is not there', ['--show', '/no/such/path', '--', '/bin/true'], '/no/such/path'],
    ['the whole file system', ['--show', '/', '--', '/bin/true'], 'remove the wall'],
    ['a path by another name of it', ['--show', '/usr/..', '--', '/bin/true'], 'remove the wall'],
    ['a path without a program', ['--show', '/usr'], 'needs a program'],
    ['a program that is not there', ['--', 'no-such-program'], 'no program no-such-program'],
    ['an option that there is not', ['--shwo', '/usr'], '--shwo'],
  ])('refuses %s', (_, args, words) => {
    const { status, stdout, stderr } = asThisUser(...args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(words);
  });

  it('lists the walls or runs a program, and not both', () => {
    const { status, stdout } = asThisUser('--json', '--', '/bin/true');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('leave out the program') },
    });
  });

  it('exits with the status that the program had', async () => {
    const { code, stdout } = await runFake(['walls', '--show', '/usr', '--', '/bin/true']);
    expect({ code, text: stdout.text }).toEqual({ code: 7, text: '' });
  });

  it('says what builds no walls', async () => {
    const { code, stdout } = await runFake(['walls']);
    expect(code).toBe(0);
    expect(stdout.text).toContain('nothing: only Node and the compartment are walls here');
    expect(stdout.text).toContain('the whole file system');
    expect(stdout.text).toContain('not filtered');
  });
});
