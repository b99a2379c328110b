import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../src/index.js';
import type { Measure } from './subject.js';

const PLUGINS = 101;

/** What a plugin adds to a process that it shares with others, all of them called. */
export async function measureSharedMemory(): Promise<Measure> {
  const root = mkdtempSync(join(tmpdir(), 'bulkhead-bench-'));
  const ids = Array.from({ length: PLUGINS }, (_, n) => `p${n}`);
  for (const id of ids) writePlugin(join(root, id), id);
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
    const [first = '', ...others] = ids;
    const call = (id: string): Promise<unknown> => engine.call(`${id}:echo`, { text: id });
    await call(first);
    for (const id of others.slice(0, 10)) await call(id);
    const before = privateDirtyKb(pid);
    for (const id of others.slice(10)) await call(id);
    const each = (privateDirtyKb(pid) - before) / (others.length - 10);
    return {
      work: 'memory of one more plugin in a shared guest (Private_Dirty)',
      unit: 'kB',
      ours: each,
      goal: '≤ 200 kB',
      met: each <= 200,
    };
  } finally {
    await engine.close();
    rmSync(root, { recursive: true, force: true });
  }
}

function privateDirtyKb(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/Private_Dirty:\s+(\d+)/.exec(text)?.[1]);
}

function writePlugin(directory: string, id: string): void {
  mkdirSync(directory, { recursive: true });
  const manifest = {
    manifestVersion: 1,
    id,
    name: id,
    pandora: '>=1',
    provides: { tools: { entry: 'index.js' } },
  };
  writeFileSync(join(directory, 'pandora.manifest.json'), JSON.stringify(manifest));
  writeFileSync(
    join(directory, 'index.js'),
    "export const tools = [{ id: 'echo', name: 'Echo', description: 'Says it again', annotations: { readOnlyHint: true }, parameters: { type: 'object', properties: { text: { type: 'string' } } }, execute: async (input) => input }];",
  );
}
