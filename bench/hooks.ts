import { join } from 'node:path';
import type { Engine } from '../src/index.js';
import { createEngine } from './built.js';
import { type Effort, type Measure } from './measure.js';
import { withDirectory, writeHook } from './plugins-on-disk.js';
import { inTurns, quantile, time } from './statistics.js';
import { silent, SMALL } from './subject.js';

const PLUGINS = 10;
/** Chains of one kind, before another kind has its turn. */
const TURN = 5;

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
export function measureHooks({ chains, share }: Effort): Promise<Measure[]> {
  return withDirectory(async (root) => {
    const engines: Engine[] = [];
    const open = async (name: string, sources: readonly string[]): Promise<Engine> => {
      const engine = await createEngine({
        plugins: sources.map((source, index) =>
          writeHook(join(root, name, `p${index}`), `p${index}`, source),
        ),
        cacheDirectory: join(root, 'cache'),
        hooks: { init: 'first-use' },
        limits: { pool: 0, suspendAfterMs: 60_000 },
        tolerance: 'full',
        riskPolicy: 'author',
        logger: silent,
      });
      engines.push(engine);
      return engine;
    };
    const ten = (source: string): string[] => Array.from({ length: PLUGINS }, () => source);
    try {
      const untouched = await open('untouched', ten(HOOKS.untouched));
      const runs = {
        calls: async () => {
          for (let n = 0; n < PLUGINS; n += 1) await callOne(untouched, n);
        },
        text: () => Buffer.from(JSON.stringify(MESSAGES)),
        untouched: chainOf(untouched),
        read: chainOf(await open('read', ten(HOOKS.read))),
        changed: chainOf(await open('changed', [HOOKS.changed, ...ten(HOOKS.untouched).slice(1)])),
      };
      for (const run of Object.values(runs)) await time(Math.min(20, chains / 5), run);
      const samples = await inTurns(chains / TURN, {
        calls: () => time(TURN, runs.calls),
        text: () => time(TURN, runs.text),
        untouched: () => time(TURN, runs.untouched),
        read: () => time(TURN / 5, runs.read),
        changed: () => time(TURN, runs.changed),
      });
      const floor = quantile(samples.calls, share) + quantile(samples.text, share);
      const against = (took: readonly number[]) => {
        const ours = quantile(took, share);
        return { unit: 'ms' as const, ours, floor, ratio: ours / floor };
      };
      const nothing = against(samples.untouched);
      return [
        {
          work: 'hooks: 10 plugins over 1 MB, none changes it',
          ...nothing,
          goal: '≤ 10 small calls + 1 text',
          met: nothing.ratio <= 1,
        },
        { work: 'hooks: one of them changes one message', ...against(samples.changed) },
        { work: 'hooks: each reads the messages', ...against(samples.read) },
      ];
    } finally {
      for (const engine of engines) await engine.close();
    }
  });
}

function chainOf(engine: Engine): () => Promise<void> {
  return async () => {
    // A fresh conversation each time, as a host has it: nothing is known by identity.
    const { reports } = await engine.hooks.run('user-prompt-submit', {
      conversationId: 'c1',
      latestMessages: MESSAGES.slice(),
    });
    if (reports.some(({ error }) => error !== undefined)) throw new Error('a hook failed');
  };
}

async function callOne(engine: Engine, plugin: number): Promise<void> {
  const { isError } = await engine.call(`p${plugin}:echo_p${plugin}`, SMALL);
  if (isError) throw new Error('a call failed');
}
