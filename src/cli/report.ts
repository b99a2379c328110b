import type { CliPowers } from './powers.js';
import { type ExitCode, exitCodeOf } from './exit-codes.js';
import { explanationOf } from './explanations/table.js';
import { type Failure, failureLine } from './failure.js';
import { makePaint, type Paint } from './paint.js';
import { excerptOf, type SourceSpot, spotOf } from './source-excerpt.js';
import { jsonLine, visible, visibleLines } from './visible.js';

/** Tells why a command failed: one JSON line on stdout, or a block for people on stderr. */
export async function reportFailure(
  failure: Failure,
  options: { readonly json: boolean; readonly durationMs: number; readonly directory?: string },
  powers: Pick<CliPowers, 'stdout' | 'stderr' | 'readFile'>,
): Promise<ExitCode> {
  const { code } = failure;
  if (options.json) {
    await powers.stdout.write(jsonLine(failureLine(failure, options.durationMs)));
  } else {
    await powers.stderr.write(await errorBlock(failure, options.directory, powers));
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
  { stderr, readFile }: Pick<CliPowers, 'stderr' | 'readFile'>,
): Promise<string> {
  const paint = makePaint(stderr.colour);
  const spot = spotOf(failure);
  const { title, remedy } = explanationOf(failure.code);
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

/** Messages end in the edit that would help: people find it faster on a line of its own. */
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
