import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, type Engine } from '../src/index.js';
import { median, time } from './statistics.js';
import { type Measure, SMALL } from './subject.js';

const PLUGINS = 10;
const RUNS = 60;

/** A megabyte of conversation: a thousand messages of a thousand characters. */
const MESSAGES = Array.from({ length: 1_000 }, (_, n) => ({
  role: n % 2 === 0 ? 'user' : 'assistant',
  content: [{ type: 'text', text: `${n} ${'lorem ipsum '.repeat(83)}` }],
}));

const HOOKS = {
  untouched:
    'export default async (ctx) => { if (ctx.prompt === "nobody") ctx.latestMessages = []; }',
  read: 'export default async (ctx) => { if (ctx.latestMessages.length === 1) ctx.latestMessages = []; }',
  changed:
    'let run = 0; export default async (ctx) => { ctx.latestMessages[500].content[0].text = `changed ${run += 1}`; }',
};

/**
 * Chains of ten plugins over that conversation, against ten small calls, one of each plugin, and one
 * serialisation.
 */
export async function measureHooks(): Promise<Measure[]> {
  const root = mkdtempSync(join(tmpdir(), 'bulkhead-bench-'));
  const engines: Engine[] = [];
  const open = async (name: string, sources: readonly string[]): Promise<Engine> => {
    const engine = await createEngine({
      plugins: sources.map((source, index) => writePlugin(join(root, name, `p${index}`), source)),
      cacheDirectory: join(root, 'cache'),
      hooks: { init: 'first-use' },
      limits: { pool: 0, restAfterMs: 60_000 },
      tolerance: 'full',
      riskPolicy: 'author',
      logger: silent,
    });
    engines.push(engine);
    return engine;
  };
  const chainOf = (engine: Engine) => async (): Promise<void> => {
    // A fresh conversation each time, as a host has it: nothing is known by identity.
    const { reports } = await engine.hooks.run('user-prompt-submit', {
      conversationId: 'c1',
      latestMessages: MESSAGES.slice(),
    });
    if (reports.some(({ error }) => error !== undefined)) throw new Error('a hook failed');
  };
  try {
    const ten = (source: string): string[] => Array.from({ length: PLUGINS }, () => source);
    const untouched = await open('untouched', ten(HOOKS.untouched));
    const runs = {
      calls: async () => {
        for (let n = 0; n < PLUGINS; n += 1) await callOne(untouched, n);
      },
      untouched: chainOf(untouched),
      read: chainOf(await open('read', ten(HOOKS.read))),
      changed: chainOf(await open('changed', [HOOKS.changed, ...ten(HOOKS.untouched).slice(1)])),
    };
    for (const run of Object.values(runs)) await time(20, run);

    const samples = { calls: [] as number[], text: [] as number[], ...emptySamples() };
    for (let round = 0; round < 4; round += 1) {
      samples.calls.push(...(await time(RUNS, runs.calls)));
      samples.text.push(...(await time(RUNS, () => Buffer.from(JSON.stringify(MESSAGES)))));
      samples.untouched.push(...(await time(RUNS, runs.untouched)));
      samples.read.push(...(await time(RUNS / 4, runs.read)));
      samples.changed.push(...(await time(RUNS, runs.changed)));
    }
    const floor = median(samples.calls) + median(samples.text);
    return [
      measure('hooks: 10 plugins over 1 MB, none changes it', samples.untouched, floor, true),
      measure('hooks: one of them changes one message', samples.changed, floor, false),
      measure('hooks: each reads the messages, none changes them', samples.read, floor, false),
    ];
  } finally {
    for (const engine of engines) await engine.close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function callOne(engine: Engine, plugin: number): Promise<void> {
  const { isError } = await engine.call(`p${plugin}:echo_p${plugin}`, SMALL);
  if (isError) throw new Error('a call failed');
}

function emptySamples(): Record<'untouched' | 'read' | 'changed', number[]> {
  return { untouched: [], read: [], changed: [] };
}

function measure(work: string, samples: readonly number[], floor: number, goal: boolean): Measure {
  const ours = median(samples);
  return {
    work,
    unit: 'ms',
    ours,
    floor,
    ratio: ours / floor,
    goal: goal ? '≤ 10 small calls + 1 text' : '–',
    met: !goal || ours <= floor,
  };
}

function writePlugin(directory: string, source: string): string {
  mkdirSync(join(directory, 'hooks'), { recursive: true });
  const name = directory.split('/').at(-1);
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
  writeFileSync(join(directory, 'hooks/user-prompt-submit.ts'), source);
  mkdirSync(join(directory, 'tools'), { recursive: true });
  // Of two tools of one name only the first would count.
  writeFileSync(join(directory, `tools/echo_${name}.ts`), ECHO);
  return directory;
}

const ECHO = `export default {
  input_schema: { type: 'object' },
  execute: async ({ city, s }) => ({ content: JSON.stringify({ ok: true, len: s ? s.length : 0, city }), isError: false }),
};`;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
