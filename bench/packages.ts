import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine, EngineOptions } from '../src/index.js';
import { findInnermost } from '../src/guests/guest-process.js';
import { createEngine } from './built.js';
import { compare, type Effort, type Measure } from './measure.js';
import { privateDirtyKb } from './memory.js';
import { withDirectory, writeEcho, writeTools } from './plugins-on-disk.js';
import { silent } from './subject.js';

/** Packages of this repository, and all that they import. */
const INSTALLED = fileURLToPath(new URL('../node_modules', import.meta.url));
const PACKAGES = [
  'ajv',
  'ajv-formats',
  'fast-deep-equal',
  'fast-uri',
  'hono',
  'json-schema-traverse',
  'lru-cache',
  'marked',
  'semver',
  'yaml',
  'zod',
];

const SOURCE = `
import Ajv from 'ajv'; import formats from 'ajv-formats'; import { Hono } from 'hono'; import { LRUCache } from 'lru-cache';
import { marked } from 'marked'; import semver from 'semver'; import { parse } from 'yaml'; import { z } from 'zod';
const shape = z.object({ a: z.string() });
const check = formats(new Ajv()).compile({ type: 'object', properties: { a: { type: 'string', format: 'date' } } });
const cache = new LRUCache({ max: 10 });
const app = new Hono();
const work = (n) => {
  cache.set(n, n);
  return [shape.parse({ a: 'x' }).a, check({ a: '2024-02-28' }), semver.satisfies('1.2.' + (n % 9), '^1.2.0'), parse('a: [1]').a.length, cache.get(n) === n, marked.parse('*a*').length, typeof app.fetch];
};
export const tools = [{ id: 'work', name: 'Work', description: 'Uses its packages', annotations: { readOnlyHint: true },
  parameters: { type: 'object', properties: { times: { type: 'number' } } },
  execute: async ({ times }) => { let last; for (let n = 0; n < times; n += 1) last = work(n); return last; } }];`;

/** Calls of packages in one measured call of the tool. */
const CALLS = 300;
const TIMEOUT_MS = 60_000;

interface Sample {
  /** Milliseconds of processor time of the guest's main thread, to the first result. */
  readonly first: number;
  readonly calls: number;
  readonly memory: number;
  readonly answer: string;
}

/** A plugin with separate packages, against the same plugin as one bundle. A guest without packages is taken off both. */
export async function measurePackages({ starts, share }: Effort): Promise<Measure[]> {
  if (process.platform !== 'linux') return [];
  return withDirectory(async (root) => {
    const [plugin, empty] = [join(root, 'packages'), join(root, 'empty')];
    writeTools(plugin, 'packages', SOURCE);
    for (const name of PACKAGES) {
      cpSync(join(INSTALLED, name), join(plugin, 'node_modules', name), { recursive: true });
    }
    writeEcho(empty, 'empty');
    const cache = join(root, 'cache');
    const sample = (directory: string, packages: 'separate' | 'together'): Promise<Sample> =>
      measureOne(directory, packages, cache);
    await build(plugin, 'separate', cache);
    await build(plugin, 'together', cache);
    await build(empty, 'together', cache);
    const [separate, together, none]: [Sample[], Sample[], Sample[]] = [[], [], []];
    for (let n = 0; n < starts; n += 1) {
      const [ours, floor] = [await sample(plugin, 'separate'), await sample(plugin, 'together')];
      const nothing = await sample(empty, 'together');
      if (ours.answer !== floor.answer) throw new Error('separate packages answer otherwise');
      separate.push(ours);
      together.push(floor);
      none.push(nothing);
    }
    const line = (
      work: string,
      unit: Measure['unit'],
      of: (sample: Sample, index: number) => number,
      most: number,
    ): Measure => {
      const figures = compare(separate.map(of), together.map(of), share);
      return { work, unit, ...figures, goal: `≤ ${most} × one bundle`, met: figures.ratio <= most };
    };
    return [
      line(
        'separate packages: processor time to the first result',
        'ms',
        ({ first }, n) => first - (none[n]?.first ?? 0),
        1.3,
      ),
      line(
        'separate packages: memory',
        'kB',
        ({ memory }, n) => memory - (none[n]?.memory ?? 0),
        1.2,
      ),
      line(`separate packages: ${CALLS} rounds of calls`, 'ms', ({ calls }) => calls, 1.02),
    ];
  });
}

function open(
  directory: string,
  packages: 'separate' | 'together',
  cacheDirectory: string,
  onEvent: NonNullable<EngineOptions['onEvent']>,
): Promise<Engine> {
  return createEngine({
    plugins: [directory],
    limits: { pool: 0 },
    logger: silent,
    cacheDirectory,
    packages: { '*': packages },
    onEvent,
  });
}

/** Builds the plugin, and reads what it offers in a guest that ends. */
async function build(
  ...[directory, packages, cache]: Parameters<typeof measureOne>
): Promise<void> {
  const engine = await open(directory, packages, cache, () => {});
  await engine.close();
}

async function measureOne(
  directory: string,
  packages: 'separate' | 'together',
  cache: string,
): Promise<Sample> {
  let pid = 0;
  const engine = await open(directory, packages, cache, (event) => {
    if (event.type === 'guest-started') pid = event.pid;
  });
  try {
    const [tool] = engine.catalog.list();
    if (tool === undefined) throw new Error('the plugin has no tool');
    await engine.call(tool.name, { times: 1 }, { timeoutMs: TIMEOUT_MS });
    const [first, memory] = [processorMs(pid), privateDirtyKb(pid)];
    await engine.call(tool.name, { times: CALLS }, { timeoutMs: TIMEOUT_MS });
    const before = processorMs(pid);
    const { value } = await engine.call(tool.name, { times: CALLS }, { timeoutMs: TIMEOUT_MS });
    return { first, memory, calls: processorMs(pid) - before, answer: JSON.stringify(value) };
  } finally {
    await engine.close();
  }
}

const NANOSECONDS = 1_000_000;

/** Milliseconds of processor time of the main thread of a guest. The process that its event names may be a wrapper. */
function processorMs(group: number): number {
  const pid = findInnermost(group);
  const [nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / NANOSECONDS;
}
