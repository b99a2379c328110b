import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inspectMachine } from '../../src/guests/machine.js';
import { readProcessorUse } from '../../src/guests/processor.js';
import { guestScripts } from '../../src/engine/powers/surroundings.js';
import { start, writePlugin } from '../cli/spawned.js';

const machine = await inspectMachine(guestScripts.confined());

function childrenOf(pid: number | undefined): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

it.runIf(machine.setpriv !== undefined).each([
  ['rests', 'return 1', (pid: number) => readProcessorUse(pid)?.stopped === true],
  ['never yields', 'for (;;);', (pid: number) => (readProcessorUse(pid)?.usedMs ?? 0) > 300],
])('a guest that %s dies with its host, however that dies', async (_, execute, state) => {
  const host = start(['batch']);
  const call = { plugin: writePlugin({ execute }), tool: 'run', input: {} };
  host.stdin.write(`${JSON.stringify(call)}\n`);
  await expect
    .poll(() => childrenOf(host.pid).some(state), { timeout: 15_000, interval: 20 })
    .toBe(true);
  const guests = childrenOf(host.pid).filter(state);
  host.kill('SIGKILL');
  await once(host, 'close');
  await expect
    .poll(() => guests.filter((pid) => readProcessorUse(pid) !== undefined), { timeout: 10_000 })
    .toEqual([]);
});
