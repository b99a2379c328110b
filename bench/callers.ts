import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findInnermost } from '../src/guests/guest-process.js';
import { createEngine } from './built.js';
import type { Effort, Measure } from './measure.js';
import { withDirectory, writeEcho } from './plugins-on-disk.js';
import { silent } from './subject.js';

const PLUGINS = 24;

/** Callers at the same time. Each calls a plugin of its own, one call after the other. */
const CALLERS = [1, 2, 8, 24] as const;

/** Calls that each plugin has had before any is counted: calls warm up for thousands of calls. */
const WARM_UP = 2_000;

/** Linux reports processor time in hundredths of a second, so that shorter runs say nothing. */
const MIN_CALLS = 20_000;

/**
 * Several sequential callers of different plugins: what one caller costs the others. Guests that stay
 * awake between calls flatter the first line and spoil the others.
 */
export function measureCallers({ calls }: Effort): Promise<Measure[]> {
  return withDirectory(async (root) => {
    const ids = Array.from({ length: PLUGINS }, (_, n) => `p${n}`);
    for (const id of ids) writeEcho(join(root, id), id);
    const pids = new Set<number>();
    const engine = await createEngine({
      plugins: [`${root}/*`],
      cacheDirectory: join(root, 'cache'),
      logger: silent,
      onEvent: (event) => {
        if (event.type === 'guest-started') pids.add(event.pid);
      },
    });
    const callInTurn = async (id: string, count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) await engine.call(`${id}:echo`, { text: id });
    };
    try {
      for (const id of ids) await callInTurn(id, WARM_UP);
      const measures: Measure[] = [];
      for (const callers of CALLERS) {
        const each = Math.ceil(Math.max(calls * 5, MIN_CALLS) / callers);
        const before = {
          host: process.cpuUsage(),
          guestsMs: usedMs(pids),
          atMs: performance.now(),
        };
        await Promise.all(ids.slice(0, callers).map((id) => callInTurn(id, each)));
        const seconds = (performance.now() - before.atMs) / 1_000;
        const host = process.cpuUsage(before.host);
        const total = each * callers;
        const named = `${callers} ${callers === 1 ? 'caller' : 'callers'} of ${PLUGINS} plugins`;
        measures.push(
          { work: `small, ${named}`, unit: 'calls/s', ours: total / seconds },
          {
            work: `small, ${named}: processor time of the host per call`,
            unit: 'µs',
            ours: (host.user + host.system) / total,
          },
          {
            work: `small, ${named}: processor time of guests per call`,
            unit: 'µs',
            ours: ((usedMs(pids) - before.guestsMs) * 1_000) / total,
          },
        );
      }
      return measures;
    } finally {
      await engine.close();
    }
  });
}

/** Processor time of the guests in these processes in milliseconds. `NaN` on systems other than Linux. */
function usedMs(pids: ReadonlySet<number>): number {
  let used = 0;
  for (const pid of pids) {
    try {
      const stat = readFileSync(`/proc/${findInnermost(pid)}/stat`, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 1).split(' ');
      used += (Number(fields[12]) + Number(fields[13])) * 10;
    } catch {
      return Number.NaN;
    }
  }
  return used;
}
