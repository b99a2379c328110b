import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { guestScripts } from '../../src/engine/node/process-defaults.js';
import { inspectMachine } from '../../src/guests/machine.js';
import { behindWalls } from '../../src/guests/walls/build.js';
import { findLibraries } from '../../src/guests/walls/libraries.js';
import { NO_WALLS } from '../../src/guests/walls/plan.js';
import { seccompFilter } from '../../src/guests/walls/seccomp.js';
import {
  ARCHITECTURES,
  type Architecture,
  type Confined,
  ERRNO,
  GAPS,
  HIGHEST_KNOWN,
  refusedCalls,
} from '../../src/guests/walls/system-calls.js';
import { type Answer, runFilter } from './filter-machine.js';

const AUDIT: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
const SELF = 4711;

describe.each(ARCHITECTURES)('the filter for %s', (architecture) => {
  const filters = {
    guest: seccompFilter(architecture, 'guest', SELF),
    bundler: seccompFilter(architecture, 'bundler', SELF),
  };
  const ask = (
    number: number,
    args: readonly number[] = [],
    confined: Confined = 'guest',
  ): Answer =>
    runFilter(filters[confined], {
      architecture: AUDIT[architecture],
      number,
      args,
    });
  const numberOf = (name: string): number => {
    const call = refusedCalls('guest').find((one) => one.name === name);
    return call?.numbers[architecture] ?? -1;
  };

  it('answers every number as the table says', () => {
    const always = new Map<number, number>();
    const conditional = new Set<number>();
    for (const { numbers, errno, unless } of refusedCalls('guest')) {
      const number = numbers[architecture];
      if (number === undefined) continue;
      if (unless.length > 0) conditional.add(number);
      else always.set(number, ERRNO[errno]);
    }
    expect(always.size).toBeGreaterThan(architecture === 'x64' ? 180 : 150);
    const [gapStart, gapEnd] = GAPS[architecture];
    for (let number = 0; number <= HIGHEST_KNOWN; number += 1) {
      if (conditional.has(number)) continue;
      const isGap = number >= gapStart && number <= gapEnd;
      expect([number, ask(number)]).toEqual([
        number,
        isGap ? ERRNO.ENOSYS : (always.get(number) ?? 0),
      ]);
    }
  });

  it.each([HIGHEST_KNOWN + 1, 1_000, 0x4000_0000, 0x4000_0029, 0xffff_ffff])(
    'does not know the number %d',
    (number) => {
      expect(ask(number)).toBe(ERRNO.ENOSYS);
    },
  );

  it('has each number once', () => {
    const numbers = refusedCalls('guest').flatMap(({ numbers: all }) => all[architecture] ?? []);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it('kills a process that calls by another architecture', () => {
    const filter = seccompFilter(architecture, 'guest', SELF);
    expect(runFilter(filter, { architecture: 0x4000_0003, number: 1 })).toBe('killed');
  });

  it.each<[string, readonly number[], Answer]>([
    ['openat', [0, 0, 0], 0],
    ['openat', [0, 0, 0o1], 1],
    ['openat', [0, 0, 0o2], 1],
    ['openat', [0, 0, 0o100], 1],
    ['openat', [0, 0, 0o1000], 1],
    ['openat', [0, 0, 0o2000000], 0],
    ['mmap', [0, 4096, 3, 0x22], 0],
    ['mmap', [0, 4096, 3, 0x01], 1],
    ['mmap', [0, 4096, 3, 0x21], 1],
    ['mmap', [0, 4096, 3, 0x03], 1],
    ['mmap', [0, 4096, 3, 0x122], 1],
    ['clone', [0x3d_0f00], 0],
    ['clone', [17], 1],
    ['clone', [0x4111], 1],
    ['clone3', [], 38],
    ['kill', [SELF, 9], 0],
    ['kill', [SELF + 1, 9], 3],
    ['kill', [SELF, 31], 0],
    ['kill', [SELF, 32], 3],
    ['kill', [0, 9], 3],
    ['kill', [-1, 9], 3],
    ['tgkill', [SELF, 5, 6], 0],
    ['tgkill', [1, 1, 6], 3],
    ['tgkill', [SELF, 5, 40], 3],
    ['getpgid', [0], 0],
    ['getpgid', [1], 3],
    ['getsid', [1], 3],
    ['sched_rr_get_interval', [1], 3],
    ['clock_gettime', [1], 0],
    ['clock_gettime', [11], 0],
    ['clock_gettime', [-6], 1],
    ['clock_getres', [-6], 1],
    ['clock_nanosleep', [-6], 1],
    ['getsockopt', [0, 1, 3], 0],
    ['getsockopt', [0, 1, 17], 1],
    ['getsockopt', [0, 1, 77], 1],
    ['prlimit64', [0], 0],
    ['prlimit64', [1], 3],
    ['setpriority', [0, 0], 0],
    ['setpriority', [0, 1], 3],
    ['setpriority', [2, 0], 3],
    ['sched_setaffinity', [0], 0],
    ['sched_setaffinity', [SELF], 0],
    ['sched_setaffinity', [1], 3],
    ['sched_getaffinity', [SELF], 0],
    ['sched_getaffinity', [1], 38],
    ['prctl', [15], 0],
    ['prctl', [1], 1],
    ['prctl', [22], 1],
    ['ioctl', [3, 0x5421], 0],
    ['ioctl', [0, 0x5412], 1],
    ['ioctl', [3, 0x8901], 1],
    ['fcntl', [3, 3], 0],
    ['fcntl', [3, 8], 1],
    ['fcntl', [3, 10], 1],
    ['fcntl', [3, 15], 1],
    ['fcntl', [3, 5], 1],
    ['fcntl', [3, 6], 1],
    ['fcntl', [3, 37], 1],
    ['fcntl', [3, 1036], 1],
    ['fcntl', [3, 1039], 1],
    ['fcntl', [3, 1030], 0],
  ])('answers %s %j with %s', (name, args, answer) => {
    expect(ask(numberOf(name), args)).toBe(answer);
  });

  it('lets the bundler start esbuild, and make no namespace', () => {
    const clone = numberOf('clone');
    expect(ask(clone, [17], 'bundler')).toBe(0);
    expect(ask(clone, [0x1000_0000 | 17], 'bundler')).toBe(1);
    expect(ask(numberOf('socketpair'), [], 'bundler')).toBe(0);
    expect(ask(numberOf('socket'), [], 'bundler')).toBe(1);
    expect(ask(numberOf('connect'), [], 'bundler')).toBe(1);
    expect(ask(numberOf('tgkill'), [1, 1, 23], 'bundler')).toBe(0);
    expect(ask(numberOf('tgkill'), [1, 1, 9], 'bundler')).toBe(3);
  });
});

const machine = await inspectMachine(guestScripts.confined());
const { perl } = machine.tools;
const filtered = {
  ...machine,
  plan: { ...NO_WALLS, builder: 'perl' as const, systemCallFilter: true },
};

describe.runIf(perl !== undefined && machine.plan.systemCallFilter)('a filtered process', () => {
  const run = (program: readonly string[], visible: readonly string[] = []): string => {
    const { file, args, env } = behindWalls(filtered, {
      program,
      limits: { dataBytes: undefined, cpuSeconds: undefined, processes: 64 },
      use: [],
      visible,
    });
    const { stdout, stderr } = spawnSync(file, args, { env, encoding: 'utf8' });
    return stdout + stderr;
  };

  it('is refused every call of the table by the kernel', async () => {
    const { architecture = 'x64' } = machine;
    const calls = refusedCalls('guest').flatMap(({ name, numbers, errno, unless }) => {
      const number = numbers[architecture];
      return number === undefined || unless.length > 0 ? [] : [{ name, number, errno }];
    });
    expect(calls.length).toBeGreaterThan(150);
    const text = run(
      [
        perl ?? '',
        '-e',
        'print join ",", map { syscall(0 + $_, -1, 0, 0, 0, 0, 0) == -1 ? 0 + $! : "done" } @ARGV',
        ...calls.map(({ number }) => String(number)),
      ],
      [perl ?? '', ...(await findLibraries(perl ?? ''))],
    );
    const answers = text.split(',').map(Number);
    expect(calls.map(({ name }, index) => [name, answers[index]])).toEqual(
      calls.map(({ name, errno }) => [name, ERRNO[errno]]),
    );
  });

  it('has threads', () => {
    const code = `new (require('node:worker_threads').Worker)('console.log(6 * 7)', { eval: true })`;
    // Some versions of V8 write to standard error that they cannot read the schedule of a thread.
    const text = run([machine.node, '-e', code]);
    expect(text.replace(/^\[mutex\.cc .*\n?/m, '')).toBe('42\n');
  });

  it('starts no process and opens no socket', () => {
    const code = `console.log(require('node:child_process').spawnSync('/bin/true').error.code);
      require('node:net').connect(1).on('error', ({ code }) => console.log(code));`;
    expect(run([machine.node, '-e', code])).toBe('EPERM\nEPERM\n');
  });

  it('ends itself by a signal, as a crash does', () => {
    expect(run([machine.node, '-e', 'process.abort()'])).not.toContain('EPERM');
  });
});
