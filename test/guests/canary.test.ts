import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guestScripts } from '../../src/engine/node/process-defaults.js';
import { inspectMachine } from '../../src/guests/machine.js';
import { runCanaries } from '../../src/guests/walls/canary.js';
import { refused } from '../../src/guests/walls/guarantees.js';
import { findLibraries } from '../../src/guests/walls/libraries.js';
import { NO_WALLS } from '../../src/guests/walls/plan.js';

const limits = { memoryMb: 64, cpuSeconds: 60 };
const script = guestScripts.confined();
const machine = await inspectMachine(script);
const { perl } = machine.tools;
const setting = {
  limits,
  use: ['no-network'] as const,
  visible: [script],
  perlLibraries: perl === undefined ? [] : await findLibraries(perl),
};

const leavesCores =
  process.platform === 'linux' &&
  /^[^|/]/.test(readFileSync('/proc/sys/kernel/core_pattern', 'latin1'));

describe.runIf(machine.plan.ownRoot && perl !== undefined)('canaries', () => {
  it('do everything without walls, and nothing behind them', async () => {
    const { walled, open, calls, compute } = await runCanaries({ machine, ...setting });
    expect(Object.keys(open).length).toBeGreaterThan(20);
    expect([...new Set(Object.values(open))]).toEqual(['done']);
    expect(Object.keys(walled)).toEqual(Object.keys(open));
    expect(Object.entries(walled).filter(([, what]) => what === 'done')).toEqual([]);
    expect(calls?.tried).toBeGreaterThan(150);
    expect(calls?.passed).toEqual([]);
    expect(compute).toBe('SIGXCPU');
    // Elsewhere the kernel gives cores to a program.
    expect(Object.keys(open).includes('leave a core')).toBe(leavesCores);
  });

  it('are stopped by no wall that is not there', async () => {
    const { walled, calls, compute } = await runCanaries({
      machine: { ...machine, plan: NO_WALLS },
      ...setting,
    });
    expect([...new Set(Object.values(walled))]).toEqual(['done']);
    expect(calls).toBeUndefined();
    expect(compute).toBeUndefined();
  });
});

describe('canaries that cannot start', () => {
  it('show nothing', async () => {
    const { walled } = await runCanaries({
      machine: { ...machine, node: '/no/such/program' },
      ...setting,
    });
    expect(walled['read']).toBeUndefined();
  });
});

describe('a wall', () => {
  const calls = undefined;
  const compute = undefined;

  it('is shown by a program that was refused if another was not', () => {
    const canaries = { walled: { read: 'ENOENT' }, open: { read: 'done' }, calls, compute };
    expect(refused(canaries, ['read'])).toMatchObject({
      active: true,
      evidence: expect.stringContaining('read (ENOENT)'),
    });
  });

  it.each([
    ['neither could', { read: 'ENOENT' }, { read: 'ENOENT' }],
    ['the control was not tried', { read: 'ENOENT' }, {}],
    ['the walled program was not tried', {}, { read: 'done' }],
    ['the walled program could', { read: 'done' }, { read: 'done' }],
  ])('is not shown if %s', (_, walled, open) => {
    const canaries = { walled, open, calls, compute } as Parameters<typeof refused>[0];
    expect(refused(canaries, ['read']).active).toBe(false);
  });

  it('is not shown if one of several deeds succeeded', () => {
    const canaries = {
      walled: { read: 'EPERM', write: 'done' },
      open: { read: 'done', write: 'done' },
      calls,
      compute,
    };
    expect(refused(canaries, ['read', 'write'])).toMatchObject({
      active: false,
      evidence: expect.stringContaining('write'),
    });
  });
});
