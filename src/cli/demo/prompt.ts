import { textOf, type Engine } from '../../index.js';
import { failureOf, usageError } from '../failure.js';
import { round } from '../invoke.js';
import { makePaint } from '../paint.js';
import type { CliPowers } from '../powers.js';
import { errorBlock } from '../report.js';
import { jsonLines, visibleLines } from '../visible.js';

/** At a terminal the plugins stay loaded, and the person may call them until an empty line. */
export async function takeCalls(engine: Engine, powers: CliPowers): Promise<void> {
  const { ask, interrupted, stdout, stderr } = powers;
  if (ask === undefined) return;
  const tools = engine.catalog.list().map(({ name }) => name);
  await stdout.write(`Call one yourself (${tools.join(', ')}); an empty line ends it.\n`);
  while (!interrupted.aborted) {
    const line = (await ask('> ', interrupted)).trim();
    if (line === '') return;
    try {
      await stdout.write(await callLine(line, engine, powers));
    } catch (error) {
      await stderr.write(await errorBlock(failureOf(error), undefined, powers));
    }
  }
}

/** `tool {"input": …}` */
async function callLine(
  line: string,
  engine: Engine,
  { stdout, interrupted }: CliPowers,
): Promise<string> {
  const [tool = '', ...rest] = line.split(' ');
  const result = await engine.call(tool, parseInput(rest.join(' ')), { signal: interrupted });
  const paint = makePaint(stdout.colour);
  const text = result.isError ? textOf(result.content) : jsonLines(result.value ?? null);
  const state = result.isError ? paint('red', result.code ?? 'TOOL_FAILED') : paint('green', 'ok');
  return `${visibleLines(text)}\n${state}  ${round(result.durationMs)} ms\n`;
}

function parseInput(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw usageError('input', `what follows the tool has to be JSON, e.g. {"city": "Oslo"}`);
  }
}
