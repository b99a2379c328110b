import { textOf, type Engine } from '../../index.js';
import { callExamples } from '../demo/examples.js';
import { round } from '../invoke.js';
import type { Trial } from './trials.js';

/** A plugin that does no more than one would: it answers at once, or something is in its way. */
const BYSTANDER = 'lorem:lorem';
const PATIENCE_MS = 20_000;

/** Plugins that only use what they were granted, and have to be able to. */
export async function callControls(engine: Engine): Promise<Trial[]> {
  const outcomes = await callExamples(engine);
  return outcomes.map(({ tool, result, asExpected }) => {
    const { code, content, durationMs } = result;
    const said = textOf(content);
    return {
      category: 'well-behaved plugins',
      plugin: tool.slice(0, tool.lastIndexOf(':')),
      name: tool,
      held: asExpected,
      evidence: asExpected ? 'it works' : `IT DOES NOT WORK: ${code ?? ''} ${said}`,
      durationMs: round(durationMs),
    };
  });
}

export async function callBystander(engine: Engine): Promise<boolean> {
  const { isError } = await engine.call(BYSTANDER, { count: 1 }, { timeoutMs: PATIENCE_MS });
  return !isError;
}
