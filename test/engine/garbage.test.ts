import { expect, it } from 'vitest';
import { findInnermost } from '../../src/guests/guest-process.js';
import { readMemory, readProcessorUse } from '../../src/processor.js';
import { makePlugin, startEngine } from './plugin-on-disk.js';

const GARBAGE_MIB = 32;

/** Fills as much memory, and needs it no more. It is long enough in use that V8 takes it for lasting. */
const SOURCE = `export const tools = [{ id: 'fill', name: 'fill', description: 'Fills memory.', parameters: { type: 'object' },
  execute: () => {
    const kept = [];
    for (let i = 0; i < ${GARBAGE_MIB}; i += 1) kept.push(Array.from({ length: 131_072 }, (_, n) => n + i));
    return kept.length;
  } }];`;

const isSuspended = (pid: number): boolean => readProcessorUse(pid)?.stopped === true;

it.runIf(process.platform === 'linux').each([
  ['its own process', {}],
  ['a shared one', { trustGroups: { all: ['sample'] } }],
])('a plugin in %s leaves no garbage in the memory of a suspended guest', async (_, options) => {
  const leaders: number[] = [];
  await using engine = await startEngine([makePlugin({ id: 'sample', source: SOURCE })], {
    ...options,
    // A machine that is busy has time to collect.
    limits: { suspendAfterMs: 3_000 },
    onEvent: (event) => {
      if (event.type === 'guest-started') leaders.push(event.pid);
    },
  });
  expect((await engine.call('fill', {})).value).toBe(GARBAGE_MIB);
  const pid = findInnermost(leaders.at(-1) ?? 0);
  const fullMib = readMemory(pid) ?? 0;
  expect(isSuspended(pid)).toBe(false);
  while (!isSuspended(pid)) await new Promise((resolve) => setTimeout(resolve, 50));
  // A guest with so small a plugin has some 14 MiB.
  expect(fullMib).toBeGreaterThan(GARBAGE_MIB);
  expect(readMemory(pid)).toBeLessThan(fullMib - GARBAGE_MIB / 2);
});
