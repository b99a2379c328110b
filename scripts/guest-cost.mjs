// What a guest has cost so far. Linux only.
import { readFileSync } from 'node:fs';
import { findInnermost } from '../dist/src/guests/guest-process.js';

/** Milliseconds of processor time of a guest's main thread, and kB that only it has. */
export function readCost(group) {
  const pid = findInnermost(group);
  const [nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  const [, kilobytes] = /Private_Dirty:\s+(\d+)/.exec(
    readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'),
  );
  return { ms: Number(nanoseconds) / 1_000_000, kilobytes: Number(kilobytes) };
}

/** The median. */
export function middleOf(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
