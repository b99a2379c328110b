import { join } from 'node:path';
import { textOf, type Engine, type EngineOptions, type Guarantee } from '../../index.js';
import { type Failure, failureOf } from '../failure.js';
import { round } from '../invoke.js';
import type { CliPowers } from '../powers.js';

/** How a plugin fared that was run on this machine to see whether one can be. */
export type TrialRun =
  | {
      readonly works: true;
      /** From a plugin's directory to its first result, with a process started on the way. */
      readonly firstCallMs: number;
      /** A call after that. */
      readonly callMs: number;
      /** Whether what was found out is kept for the next run. */
      readonly keeps: boolean;
      readonly walls: readonly Guarantee[];
    }
  | { readonly works: false; readonly failure: Failure };

const PLUGIN = 'plugins/pandora/lorem';
const TOOL = 'lorem:lorem';
const INPUT = { count: 3 };

/** Runs a plugin of the package, twice in engines of their own. Never throws. */
export async function tryPlugin(
  powers: Pick<CliPowers, 'createEngine' | 'fixtures' | 'now'>,
  options: Pick<EngineOptions, 'walls'>,
): Promise<TrialRun> {
  const { createEngine, fixtures, now } = powers;
  const open = (): Promise<Engine> =>
    createEngine({
      plugins: [join(fixtures, PLUGIN)],
      grant: 'declared',
      limits: { pool: 0 },
      logger: silence,
      ...options,
    });
  try {
    const began = now();
    await using engine = await open();
    const failure = await callOnce(engine);
    if (failure !== undefined) return { works: false, failure };
    const firstCallMs = round(now() - began);
    const again = now();
    await callOnce(engine);
    const callMs = round(now() - again);
    const walls = await engine.guarantees();
    return { works: true, firstCallMs, callMs, keeps: await isKept(open), walls };
  } catch (error) {
    return { works: false, failure: failureOf(error) };
  }
}

async function callOnce(engine: Engine): Promise<Failure | undefined> {
  const { isError, code = 'TOOL_FAILED', content } = await engine.call(TOOL, INPUT);
  return isError ? { code, message: textOf(content) } : undefined;
}

/** An engine that finds what an earlier one kept needs no guest to know what its plugins offer. */
async function isKept(open: () => Promise<Engine>): Promise<boolean> {
  await using engine = await open();
  let started = 0;
  engine.on((event) => {
    if (event.type === 'plugin-loaded') started += 1;
  });
  await callOnce(engine);
  return started === 1;
}

const silence = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
