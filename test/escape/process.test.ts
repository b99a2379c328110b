import { spawn, spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { guestCommand } from '../../src/guests/command.js';
import { DEFAULT_WALLS } from '../../src/guests/walls/optional.js';
import { findInnermost } from '../../src/guests/guest-process.js';
import { inspectMachine } from '../../src/guests/machine.js';
import { expectBreath, fixture, openEngine, temporary } from './attempt.js';

const limits = { memoryMb: 64, cpuSeconds: 60 };
const guestScript = createRequire(import.meta.url).resolve('#sandbox/guest.cjs');

/** Runs a script as guests are run, and gives what it says at the end. */
async function runBehindWalls(script: string): Promise<string> {
  const { file, args, env } = guestCommand(
    await inspectMachine(script),
    limits,
    script,
    [script],
    DEFAULT_WALLS,
  );
  const child = spawn(file, args, { env, cwd: '/', stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  if (child.stderr === null) throw new Error('no standard error');
  return text(child.stderr);
}

describe('a guest’s process without its compartment', () => {
  it('does not have files, children, threads, an inspector or variables', async () => {
    const said = await runBehindWalls(join(fixture('broken-out'), 'process.cjs'));
    // V8 may write a warning of its own before it, e.g. about a slow lock on a busy machine.
    const report = said.split('\n').find((line) => line.startsWith('{')) ?? said;
    const { found, open, variables } = JSON.parse(report) as {
      readonly found: Readonly<Record<string, string>>;
      readonly open: readonly number[];
      readonly variables: readonly string[];
    };
    expect(Object.keys(found).length).toBeGreaterThan(20);
    expect(Object.entries(found).filter(([, what]) => what.startsWith('GOT'))).toEqual([]);
    expect(open).toEqual([]);
    expect(variables.toSorted()).toEqual([
      'LANG',
      'LC_ALL',
      'MALLOC_MMAP_THRESHOLD_',
      'MALLOC_TRIM_THRESHOLD_',
      'OPENSSL_CONF',
      'TZ',
    ]);
  });

  it('is ended by the kernel once it has burned the processor time of its life', async () => {
    await using engine = await openEngine({
      plugins: [fixture('never-ends')],
      limits: { cpuSeconds: 1, pool: 0 },
    });
    const { code } = await engine.call('never-ends:loop', {}, { timeoutMs: 10_000 });
    expect(code).toBe('GUEST_OUT_OF_CPU');
    await expectBreath(engine, 'never-ends');
  });
});

describe('a live guest', () => {
  it('opens no inspector by signal, and has the limits that the kernel shows', async () => {
    let pid = 0;
    await using engine = await openEngine({
      plugins: [fixture('lives-on')],
      limits: { pool: 0 },
      onEvent: (event) => {
        if (event.type === 'guest-started') pid = event.pid;
      },
    });
    await expectBreath(engine, 'lives-on');
    // The event may name the launcher, which waits for the guest.
    pid = findInnermost(pid);
    const listening = (): string => readFileSync(`/proc/${pid}/net/tcp`, 'utf8');
    const before = listening()
      .split('\n')
      .filter((line) => line.includes(':240D')).length;
    process.kill(pid, 'SIGUSR1');
    await pause(200);
    const after = listening()
      .split('\n')
      .filter((line) => line.includes(':240D')).length;
    expect(after).toBe(before);
    await expectBreath(engine, 'lives-on');
    const shown = readFileSync(`/proc/${pid}/limits`, 'utf8');
    expect(shown).toMatch(/^Max file size\s+0\s+0 /m);
    expect(shown).toMatch(/^Max core file size\s+([01])\s+\1 /m);
    expect(shown).toMatch(/^Max cpu time\s+3600\s+3605 /m);
    expect(shown).toMatch(/^Max data size\s+\d+\s+\d+ /m);
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^NoNewPrivs:\s+1$/m);
  });

  it.each(['walled', 'alone'])('has no descriptor that its host opened (%s)', (walled) => {
    const secret = openSync('/etc/hostname', 'r');
    const holes = Array.from({ length: 37 }, () => 'ignore' as const);
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, 'inheriting-host.mjs'), guestScript, walled],
      { stdio: ['ignore', 'pipe', 'pipe', ...holes, secret], encoding: 'utf8' },
    );
    closeSync(secret);
    expect(stderr).toBe('');
    const { host, guest, active } = JSON.parse(stdout);
    expect(host).toContain('/etc/hostname');
    expect(guest).not.toContain('/etc/hostname');
    expect(active).toBe(true);
  });

  it.each(
    ['program', 'bundler'].flatMap((kind) =>
      ['perl', 'bwrap', 'chain'].map((builder): [string, string] => [kind, builder]),
    ),
  )('leaves nothing of its host open in a %s behind walls by %s', (kind, builder) => {
    const secret = openSync('/etc/hostname', 'r');
    const { dev, ino } = fstatSync(secret);
    const holes = Array.from({ length: 37 }, () => 'ignore' as const);
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, 'inheriting-programs.mjs'), kind, builder],
      { stdio: ['ignore', 'pipe', 'pipe', ...holes, secret], encoding: 'utf8' },
    );
    closeSync(secret);
    expect(stderr).toBe('');
    const report = JSON.parse(stdout);
    expect(report.host).toContain('/etc/hostname');
    expect(report.seen).not.toContain('/etc/hostname');
    expect(report.seen).not.toContain(`${dev}:${ino}`);
    // The bundler has open files, and a program has none but its streams.
    expect(report.seen.length > 0).toBe(kind === 'bundler');
  });

  it('does not outlive a host that is killed, even in an endless loop', async () => {
    const host = spawn(
      process.execPath,
      [join(import.meta.dirname, 'dying-host.mjs'), fixture('never-ends'), temporary()],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const pid = await new Promise<number>((resolve) => {
      host.stdout.once('data', (bytes: Buffer) => resolve(Number(bytes.toString())));
    });
    const state = (): string => {
      try {
        return /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
      } catch {
        return 'gone';
      }
    };
    expect(state()).toBe('R');
    host.kill('SIGKILL');
    await expect.poll(state).toMatch(/^(gone|Z|X)$/);
  });
});
