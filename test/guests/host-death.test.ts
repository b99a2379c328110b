import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inspectMachine } from '../../src/guests/machine.js';
import { diesWithHost } from '../../src/guests/walls/guarantees.js';
import { readProcessorUse } from '../../src/processor.js';
import { guestScripts } from '../../src/engine/node/process-defaults.js';
import { start, writePlugin } from '../cli/spawned.js';

const machine = await inspectMachine(guestScripts.confined());

/** All processes below one: launchers, and the guests in them. */
function descendantsOf(pid: number | undefined): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const children = text.trim().split(' ').filter(Boolean).map(Number);
    return [...children, ...children.flatMap(descendantsOf)];
  } catch {
    return [];
  }
}

describe('a guest', () => {
  it.runIf(diesWithHost(machine)).each([
    ['rests', 'return 1', (pid: number) => readProcessorUse(pid)?.stopped === true],
    ['never yields', 'for (;;);', (pid: number) => (readProcessorUse(pid)?.usedMs ?? 0) > 300],
  ])('that %s dies with its host, whatever kills the host', async (_, execute, state) => {
    const host = start(['batch']);
    const call = { plugin: writePlugin({ execute }), tool: 'run', input: {} };
    host.stdin.write(`${JSON.stringify(call)}\n`);
    await expect
      .poll(() => descendantsOf(host.pid).some(state), { timeout: 15_000, interval: 20 })
      .toBe(true);
    const guests = descendantsOf(host.pid).filter(state);
    host.kill('SIGKILL');
    await once(host, 'close');
    await expect
      .poll(() => guests.filter((pid) => readProcessorUse(pid) !== undefined), { timeout: 10_000 })
      .toEqual([]);
  });
});
