import { isAbsolute, join, normalize } from 'node:path';
import type { DeniedUse } from '../engine/types/result.js';
import { jsonLine, visible, visibleLines } from '../visible.js';
import type { CliCapabilities } from './capabilities.js';
import { type ExitCode, exitCodeOf } from './exit-codes.js';
import { explanationOf } from './explanations/table.js';
import { type Failure, failureLine } from './failure.js';
import { type Paint, makePaint } from './output.js';

/** Reports a failure: one line of JSON on stdout, or a block of text on stderr. */
export async function reportFailure(
  failure: Failure,
  options: {
    readonly json: boolean;
    readonly durationMs: number;
    readonly directory?: string;
    readonly denied?: readonly DeniedUse[] | undefined;
    /** The command whose usage was wrong: `bulkhead call`. */
    readonly command?: string;
  },
  capabilities: Pick<CliCapabilities, 'stdout' | 'stderr' | 'readFile'>,
): Promise<ExitCode> {
  const { code } = failure;
  if (options.json) {
    const { denied } = options;
    const line = failureLine(failure, options.durationMs);
    await capabilities.stdout.write(jsonLine(denied === undefined ? line : { ...line, denied }));
  } else {
    const { directory, command } = options;
    await capabilities.stderr.write(await errorBlock(failure, directory, capabilities, command));
  }
  return exitCodeOf(code);
}

/**
 * ```
 * TOOL_FAILED  the plugin threw                               weather / tools/weather.ts:14:21
 *    13 |   ctx.logger.log('fetching')
 *  > 14 |   const res = await fetch(url)
 *       |                     ^
 *   cause   …
 *   fix     …
 *   docs    bulkhead explain TOOL_FAILED
 * ```
 */
export async function errorBlock(
  failure: Failure,
  directory: string | undefined,
  { stderr, readFile }: Pick<CliCapabilities, 'stderr' | 'readFile'>,
  command?: string,
): Promise<string> {
  const paint = makePaint(stderr.colour);
  const spot = spotOf(failure);
  const { title, remedy: usual } = explanationOf(failure.code);
  const isUsage = failure.code === 'INVALID_OPTIONS' && command !== undefined;
  const remedy = isUsage ? `Read \`${command} --help\`.` : usual;
  const { cause, fix } = splitRemedy(failure.message);
  const lines = [
    heading(failure, title, spot, paint),
    ...(spot === undefined ? [] : await excerptOf(spot, directory, readFile)),
    ...field('cause', cause, paint),
    ...(failure.problems ?? []).slice(1).flatMap((problem) => field('also', place(problem), paint)),
    ...field('fix', spot?.remedy ?? fix ?? remedy, paint),
    ...field('docs', `bulkhead explain ${failure.code}`, paint),
  ];
  return `${lines.join('\n')}\n`;
}

function heading(
  { code, plugin }: Failure,
  title: string,
  spot: SourceSpot | undefined,
  paint: Paint,
): string {
  const where = [
    ...(plugin === undefined ? [] : [visible(plugin)]),
    ...(spot === undefined ? [] : [visible(`${spot.file}:${spot.line}:${spot.column}`)]),
  ].join(' / ');
  return `${paint('red', code)}  ${title}${where === '' ? '' : `    ${paint('dim', where)}`}`;
}

function place({ file, line, column, message }: NonNullable<Failure['problems']>[number]): string {
  return [...(file === undefined ? [] : [`${file}:${line ?? 1}:${column ?? 0}`]), message].join(
    ' ',
  );
}

/** Messages end in the fix, which gets a line of its own. */
function splitRemedy(message: string): { cause: string; fix: string | undefined } {
  const at = message.search(/ (?:To allow (?:this|it)|To fix (?:this|it)),? /);
  return at < 0
    ? { cause: message, fix: undefined }
    : { cause: message.slice(0, at), fix: message.slice(at + 1) };
}

function field(name: string, text: string, paint: Paint): string[] {
  return visibleLines(text)
    .split('\n')
    .map(
      (line, index) => `  ${index === 0 ? paint('dim', name.padEnd(7)) : ' '.repeat(7)} ${line}`,
    );
}

/** A place in a plugin's sources. Lines count from 1, columns from 1. */
export interface SourceSpot {
  /** Relative to the plugin's directory. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly remedy: string | undefined;
}

const LINES_BEFORE = 2;
const MAX_WIDTH = 160;

/** The place of a failure: the first problem of a build, or the top line of the plugin's stack. */
export function spotOf({ problems, stack }: Failure): SourceSpot | undefined {
  const problem = problems?.[0];
  if (problem?.file !== undefined && problem.line !== undefined) {
    const { file, line, column, remedy } = problem;
    return { file, line, column: (column ?? 0) + 1, remedy };
  }
  const frame = /\(?([^\s()]+):(\d+):(\d+)\)?$/m.exec(stack ?? '');
  if (frame === null) return undefined;
  const [, file = '', line, column] = frame;
  return { file, line: Number(line), column: Number(column), remedy: undefined };
}

/** The source lines around a place with a caret below its column; empty if they cannot be read. */
export async function excerptOf(
  { file, line, column }: SourceSpot,
  directory: string | undefined,
  readFile: (path: string) => Promise<string>,
): Promise<string[]> {
  // The plugin controls its stack, so only paths inside the plugin are read.
  const path = normalize(file);
  if (directory === undefined || isAbsolute(path) || path.startsWith('..')) return [];
  let lines: string[];
  try {
    lines = (await readFile(join(directory, path))).split('\n');
  } catch {
    return [];
  }
  if (line < 1 || line > lines.length) return [];
  const first = Math.max(1, line - LINES_BEFORE);
  const width = String(line).length;
  const shown = lines.slice(first - 1, line).map((text, index) => {
    const number = first + index;
    const mark = number === line ? '>' : ' ';
    return ` ${mark} ${String(number).padStart(width)} | ${visible(text.replaceAll('\t', ' ')).slice(0, MAX_WIDTH)}`.trimEnd();
  });
  const caret = `   ${' '.repeat(width)} | ${' '.repeat(Math.max(1, Math.min(column, MAX_WIDTH)) - 1)}^`;
  return [...shown, caret];
}
