import { isAbsolute, join, normalize } from 'node:path';
import type { DeniedUse } from '../engine/types/result.js';
import { jsonLine, visible, visibleLines } from '../visible.js';
import type { CliCapabilities } from './capabilities.js';
import { type ExitCode, exitCodeOf } from './exit-codes.js';
import { describeDenied } from './denied.js';
import { explanationOf } from './explanations/table.js';
import { type Failure, failureLine } from './failure.js';
import { type Paint, makePaint } from './output.js';
import { misspeltNameRemedy } from './misspelt-name.js';
import { type SourceSpot, spotOf, thrownIn } from './source-spot.js';

/** Reports a failure: one line of JSON on stdout, or a block of text on stderr. */
export async function reportFailure(
  failure: Failure,
  options: {
    readonly json: boolean;
    readonly durationMs: number;
    readonly directory?: string;
    readonly denied?: readonly DeniedUse[] | undefined;
    /** Mistakes in the plugin's manifest, without which the call may have succeeded. */
    readonly problems?: readonly string[];
    /** The command whose usage was wrong: `bulkhead call`. */
    readonly command?: string;
  },
  capabilities: Pick<CliCapabilities, 'stdout' | 'stderr' | 'readFile'>,
): Promise<ExitCode> {
  const { code } = failure;
  const { directory, command } = options;
  if (options.json) {
    const { denied, problems = [] } = options;
    const told = await toldInJson(failure, directory, capabilities, command);
    const line = failureLine(failure, options.durationMs, told);
    await capabilities.stdout.write(
      jsonLine({
        ...line,
        ...(denied === undefined ? {} : { denied }),
        ...(problems.length === 0 ? {} : { problems }),
      }),
    );
  } else {
    await capabilities.stderr.write(await errorBlock(failure, directory, capabilities, command));
  }
  return exitCodeOf(code);
}

/** Denials of one load that are listed: packages try many variables. */
const MAX_DENIED = 10;

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
  const { spot, excerpt, cause, fix } = await explain(failure, directory, readFile, command);
  const thrown = thrownIn(failure);
  const lines = [
    heading(failure, explanationOf(failure.code).title, spot, paint),
    ...excerpt,
    ...field('cause', cause, paint),
    ...(thrown === undefined
      ? []
      : field('thrown', `in ${thrown.file}:${thrown.line}:${thrown.column}`, paint)),
    ...(failure.problems ?? []).slice(1).flatMap((problem) => field('also', place(problem), paint)),
    ...field('fix', fix, paint),
    ...field('docs', `bulkhead explain ${failure.code}`, paint),
  ];
  return `${lines.join('\n')}\n${describeDenied(failure.denied, MAX_DENIED)}`;
}

/** What the JSON of an error has in addition to its code, message and place. */
export async function toldInJson(
  failure: Failure,
  directory: string | undefined,
  { readFile }: Pick<CliCapabilities, 'readFile'>,
  command?: string,
): Promise<object> {
  const { excerpt, fix } = await explain(failure, directory, readFile, command);
  return {
    ...(excerpt.length === 0 ? {} : { frame: excerpt }),
    fix,
    ...(failure.stack === undefined ? {} : { stack: failure.stack }),
  };
}

interface Explained {
  readonly spot: SourceSpot | undefined;
  /** The lines of the source around the place. */
  readonly excerpt: readonly string[];
  readonly cause: string;
  readonly fix: string;
}

async function explain(
  failure: Failure,
  directory: string | undefined,
  readFile: (path: string) => Promise<string>,
  command: string | undefined,
): Promise<Explained> {
  const spot = spotOf(failure);
  const excerpt = spot === undefined ? [] : await excerptOf(spot, directory, readFile);
  const isUsage = failure.code === 'INVALID_OPTIONS' && command !== undefined;
  const remedy = isUsage ? `Read \`${command} --help\`.` : explanationOf(failure.code).remedy;
  const [built] = failure.problems ?? [];
  const { cause, fix } = splitRemedy(
    // The heading has the place, and other lines the remedy and the other problems.
    spot === undefined ? failure.message : (built?.message ?? failure.message),
  );
  return {
    spot,
    excerpt,
    cause,
    fix:
      spot?.remedy ??
      built?.remedy ??
      fix ??
      failure.fix ??
      variableRemedy(failure, excerpt) ??
      (await nameRemedy(failure, spot, directory, readFile)) ??
      usualRemedy(failure) ??
      remedy,
  };
}

/** Packages name the variable that they miss, e.g. `OPENAI_API_KEY`. */
const NAMED_VARIABLE =
  /\b[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){0,6}_(?:KEY|TOKEN|SECRET|PASSWORD|URL|HOST|DSN|ID|REGION)\b/;

/** A variable that was not granted is undefined. Its read is usually in the line that fails. */
function variableRemedy(
  { code, message }: Failure,
  excerpt: readonly string[],
): string | undefined {
  if (code !== 'TOOL_FAILED') return;
  const line = excerpt.at(-2) ?? '';
  const [, member, quoted] = /of undefined|is not defined|undefined \(reading/.test(message)
    ? (/\benv(?:\.([A-Z][A-Z0-9_]*)|(?:\.get\(|\[)['"]([\w]+)['"])/.exec(line) ?? [])
    : [];
  const [named] = NAMED_VARIABLE.exec(message) ?? [];
  const name = member ?? quoted ?? named;
  if (name === undefined) return;
  return `If ${name} is undefined: grant it (--allow env:${name}) and give it a value (--env ${name}=VALUE). A manifest that declares permissions must name it in "env" too.`;
}

/** What to do about a name that is misspelt in the file that failed. */
async function nameRemedy(
  { code, message }: Failure,
  spot: SourceSpot | undefined,
  directory: string | undefined,
  readFile: (path: string) => Promise<string>,
): Promise<string | undefined> {
  if (code !== 'TOOL_FAILED' && code !== 'LOAD_FAILED') return undefined;
  const source = spot && (await readSource(spot.file, directory, readFile));
  return source === undefined ? undefined : misspeltNameRemedy(message, source);
}

/** What to do about a usual error of the language or of a module, by its text. */
function usualRemedy({ code, message }: Failure): string | undefined {
  if (code !== 'TOOL_FAILED' && code !== 'LOAD_FAILED') return;
  const [, missing] =
    /ENOENT: no such file or directory,[^']*'\/plugin\/([^'\n]{1,200})'/.exec(message) ?? [];
  if (missing !== undefined) {
    const path = JSON.stringify(missing);
    return `Add the file ${path} to the plugin, and name it in "fs" of the permissions in the manifest. Paths are relative to the plugin's directory.`;
  }
  if (
    /object is not extensible|Cannot (?:assign to read only|delete|redefine) property/.test(message)
  ) {
    return 'Do not change objects of the language, such as Object.prototype: they are frozen for all plugins. Change a copy, or use a library that does not patch them.';
  }
  return;
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
  const at = message.search(/ (?:To allow (?:this|it)|To fix (?:this|it))[,:]? /);
  if (at < 0) return { cause: message, fix: undefined };
  const fix = message.slice(at + 1);
  // The label says it already.
  const said = fix.replace(/^To fix (?:this|it)[,:]? /, '');
  return { cause: message.slice(0, at), fix: said.charAt(0).toUpperCase() + said.slice(1) };
}

function field(name: string, text: string, paint: Paint): string[] {
  return visibleLines(text)
    .split('\n')
    .map(
      (line, index) => `  ${index === 0 ? paint('dim', name.padEnd(7)) : ' '.repeat(7)} ${line}`,
    );
}

const LINES_BEFORE = 2;
const MAX_WIDTH = 160;

/** The source lines around a place with a caret below its column; empty if they cannot be read. */
export async function excerptOf(
  { file, line, column }: SourceSpot,
  directory: string | undefined,
  readFile: (path: string) => Promise<string>,
): Promise<string[]> {
  const lines = (await readSource(file, directory, readFile))?.split('\n') ?? [];
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

async function readSource(
  file: string,
  directory: string | undefined,
  readFile: (path: string) => Promise<string>,
): Promise<string | undefined> {
  // The plugin controls its stack, so only paths inside the plugin are read.
  const path = normalize(file);
  if (directory === undefined || isAbsolute(path) || path.startsWith('..')) return undefined;
  return readFile(join(directory, path)).catch(() => undefined);
}
