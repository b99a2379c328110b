import { join } from 'node:path';
import { createEngine } from './built.js';
import { startFloor } from './floor.js';
import type { Measure } from './measure.js';
import { privateDirtyKb } from './memory.js';
import { withDirectory, writeEcho } from './plugins-on-disk.js';
import { descendants } from './soak/sample.js';
import { call, SMALL, startEngine } from './subject.js';

const IN_ONE_GUEST = 101;
/** The first of them fill what V8 reserves in steps. */
const SETTLED = 10;

/** What plugins occupy: called in a guest of their own, in a shared one, and never called. */
export async function measureMemory(): Promise<Measure[]> {
  if (process.platform !== 'linux') return [missing];
  return [await measureOwn(), await measureShared(), await measureIdle()];
}

const missing: Measure = {
  work: 'memory (Private_Dirty)',
  unit: 'kB',
  ours: Number.NaN,
  goal: '≤ 14 MB, ≤ 200 kB, 0',
  missing: 'only Linux reports it, in /proc/PID/smaps_rollup',
};

async function measureOwn(): Promise<Measure> {
  let pid = 0;
  const engine = await startEngine(0, {
    onEvent: (event) => {
      if (event.type === 'guest-started') pid = event.pid;
    },
  });
  const floor = startFloor();
  try {
    await call(engine, 'echo', SMALL);
    await floor.call(SMALL);
    const ours = privateDirtyKb(pid);
    return {
      work: 'memory: one more plugin (Private_Dirty)',
      unit: 'kB',
      ours,
      floor: privateDirtyKb(floor.pid),
      goal: '≤ 14 MB',
      met: ours <= 14 * 1024,
    };
  } finally {
    floor.close();
    await engine.close();
  }
}

function measureShared(): Promise<Measure> {
  return withDirectory(async (root) => {
    const ids = Array.from({ length: IN_ONE_GUEST }, (_, n) => `p${n}`);
    for (const id of ids) writeEcho(join(root, id), id);
    let pid = 0;
    const engine = await createEngine({
      plugins: [`${root}/*`],
      cacheDirectory: join(root, 'cache'),
      trustGroups: { all: ids },
      onEvent: (event) => {
        if (event.type === 'guest-started') pid = event.pid;
      },
    });
    try {
      const callAll = async (some: readonly string[]): Promise<void> => {
        for (const id of some) await engine.call(`${id}:echo`, { text: id });
      };
      await callAll(ids.slice(0, SETTLED + 1));
      const before = privateDirtyKb(pid);
      await callAll(ids.slice(SETTLED + 1));
      const ours = (privateDirtyKb(pid) - before) / (IN_ONE_GUEST - SETTLED - 1);
      return {
        work: 'memory: one more plugin in a shared guest (Private_Dirty)',
        unit: 'kB',
        ours,
        goal: '≤ 200 kB',
        met: ours <= 200,
      };
    } finally {
      await engine.close();
    }
  });
}

/** Ten plugins known from an earlier start, listed and never called, with the limits of a host that sets none. */
function measureIdle(): Promise<Measure> {
  return withDirectory(async (root) => {
    for (let n = 0; n < 10; n += 1) writeEcho(join(root, `p${n}`), `p${n}`);
    const options = { plugins: [`${root}/*`], cacheDirectory: join(root, 'cache') };
    await (await createEngine(options)).close();

    const before = new Set(descendants(process.pid));
    const engine = await createEngine(options);
    try {
      if (engine.catalog.list().length !== 10) throw new Error('the catalog lacks a tool');
      await new Promise((resolve) => setTimeout(resolve, 500));
      const started = descendants(process.pid).filter((pid) => !before.has(pid));
      const ours = started.reduce((sum, pid) => sum + privateDirtyKb(pid), 0);
      return {
        work: 'memory: ten plugins that were never called, outside the host',
        unit: 'kB',
        ours,
        goal: '0',
        met: ours === 0,
      };
    } finally {
      await engine.close();
    }
  });
}
