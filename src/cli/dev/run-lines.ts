import type { Engine } from '../../engine/engine-api.js';
import { jsonLines, visible, visibleLines } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import { describeDenied } from '../denied.js';
import { failureOf } from '../failure.js';
import { invoke } from '../invoke.js';
import { makePaint } from '../output.js';
import { placeFailure } from '../place-failure.js';
import { errorBlock } from '../report-failure.js';
import { parseCallLine } from './call-line.js';
import { WORDS } from './complete.js';
import type { LineSource } from './line-source.js';
import type { DevSession } from './session.js';

export interface LinesSpec {
  readonly directory: string;
  readonly engine: Engine;
  readonly lines: LineSource;
  readonly session: Pick<DevSession, 'reload' | 'describe'>;
  /** Observes the calls. Default: nothing does. */
  readonly observer?: CallObserver;
}

/** Observes the calls of tools. */
export interface CallObserver {
  before(tool: string): void;
  /** Runs after a call that failed. Returns whether the call is repeated. */
  repeats(): Promise<boolean>;
}

type LinesCapabilities = Pick<
  CliCapabilities,
  'now' | 'readFile' | 'stdout' | 'stderr' | 'findCodePlaces'
>;

/** Runs the lines one after another, until the input ends. Ctrl+C cancels a call, or ends an empty prompt. */
export async function runLines(
  spec: LinesSpec,
  capabilities: LinesCapabilities & Pick<CliCapabilities, 'interrupted'>,
): Promise<void> {
  const { engine, lines, session } = spec;
  const { stdout, interrupted } = capabilities;
  const stop = (): void => lines.close();
  interrupted.addEventListener('abort', stop, { once: true });
  let running: AbortController | undefined;
  const onInterrupt = (): void => {
    if (running === undefined) lines.close();
    else running.abort();
  };
  for await (const line of lines.lines(() => engine.catalog.list(), onInterrupt)) {
    if (interrupted.aborted) break;
    const text = line.trim();
    if (text === '') continue;
    if (text === '.exit') break;
    if (text === '.reload') await session.reload();
    else if (text === '.tools' || text === '.permissions') {
      const word = text === '.tools' ? 'tool ' : 'permission ';
      const all = session.describe().split('\n');
      await stdout.write(
        all.filter((one) => !one.startsWith(' ') || one.trim().startsWith(word)).join('\n'),
      );
    } else if (text.startsWith('.')) await stdout.write(help());
    else {
      running = new AbortController();
      await callLine(text, spec, AbortSignal.any([running.signal, interrupted]), capabilities);
      running = undefined;
    }
  }
  interrupted.removeEventListener('abort', stop);
}

function help(): string {
  const words = Object.entries(WORDS).map(([word, does]) => `  ${word.padEnd(14)}  ${does}\n`);
  return `TOOL {"field":"value"}, or TOOL field=value, calls a tool. Tab completes names and fields.\n${words.join('')}`;
}

async function callLine(
  line: string,
  { engine, directory, observer }: LinesSpec,
  signal: AbortSignal,
  capabilities: LinesCapabilities,
): Promise<void> {
  const { stdout, stderr, now } = capabilities;
  const show = async (failure: Parameters<typeof errorBlock>[0]): Promise<void> =>
    stderr.write(await errorBlock(failure, directory, capabilities));
  let call: ReturnType<typeof parseCallLine>;
  try {
    call = parseCallLine(line, (tool) => engine.catalog.find(tool)?.inputSchema ?? {});
  } catch (error) {
    return show(failureOf(error));
  }
  const written: Promise<void>[] = [];
  const onOutput = (chunk: string): void => void written.push(stderr.write(visibleLines(chunk)));
  const run = () => {
    observer?.before(call.tool);
    return invoke(engine, { directory, ...call }, { signal, onOutput }, now);
  };
  let outcome = await run();
  while (!outcome.ok && (await observer?.repeats()) === true) outcome = await run();
  await Promise.all(written);
  const denied = describeDenied(outcome.denied);
  if (denied !== '') await stderr.write(denied);
  if (!outcome.ok) {
    const of = { directory, tool: call.tool, denied: outcome.denied };
    return show(await placeFailure(outcome.failure, of, capabilities));
  }
  const { shown, durationMs } = outcome;
  const text = typeof shown === 'string' ? visibleLines(shown) : jsonLines(shown);
  const paint = makePaint(stdout.colour);
  await stdout.write(`${text}\n`);
  await stderr.write(`${paint('green', 'ok')}  ${visible(call.tool)}  ${durationMs} ms\n`);
}
