import { join } from 'node:path';
import { type BuildProblem, BulkheadError, isBulkheadError } from '../../errors.js';
import type { Bundler } from '../../plugin/bundle/bundler.js';
import type { Bundle } from '../../plugin/plugin.js';
import { withSourceFile } from '../node/source-directory.js';
import { PROGRAM_LIMITS } from './program.js';

/** The name of the program's source in errors. */
const FILE = 'program.ts';

/** In front of the program's first line, so that line numbers stay. A program may have an `input` of its own. */
const HEAD = 'export default (input) => (async () => {';
const END = '\n})();\n';

/** The module of a program. */
export function moduleOf(source: string): string {
  return `${HEAD}${source}${END}`;
}

/** The source in the module of a program; the whole text if a person has written it in another way. */
export function sourceIn(module: string): string {
  const isMade = module.startsWith(HEAD) && module.endsWith(END);
  return isMade ? module.slice(HEAD.length, -END.length) : module;
}

/**
 * Builds a program: strips its types, and rewrites it for SES. Each program has a bundler process and a
 * directory of its own, so that none can affect the build of another. Throws `BUNDLE_FAILED` with line and
 * column in the program's source, and `INVALID_OPTIONS` if the source is too large.
 */
export async function buildProgram(
  source: string,
  { cacheDirectory, bundler }: { readonly cacheDirectory: string; readonly bundler: Bundler },
): Promise<Bundle> {
  // guard: program-source-cap
  if (Buffer.byteLength(source) > PROGRAM_LIMITS.maxSourceBytes) {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      `The program has more than ${PROGRAM_LIMITS.maxSourceBytes} bytes. Make it shorter.`,
      { option: 'source' },
    );
  }
  try {
    return await withSourceFile(
      join(cacheDirectory, 'programs'),
      { name: FILE, text: moduleOf(source) },
      async (directory) => {
        const { bundle } = await bundler.build({ directory, entry: { file: FILE } });
        return bundle;
      },
    );
  } catch (error) {
    throw isBulkheadError(error, 'BUNDLE_FAILED')
      ? explained(error, source.split('\n').length)
      : error;
  }
}

/** The error in words about the program, with places in its source. */
function explained(
  error: BulkheadError<'BUNDLE_FAILED'>,
  lines: number,
): BulkheadError<'BUNDLE_FAILED'> {
  const problems = error.details.problems.map((problem) => inSource(problem, lines));
  const texts = problems.map(
    ({ message, line, column, lineText }) =>
      `${line === undefined ? '' : `line ${line}, column ${column ?? 1}: `}${message}${lineText === undefined || lineText.trim() === '' ? '' : `\n    ${lineText.trim()}`}`,
  );
  return new BulkheadError(
    'BUNDLE_FAILED',
    `The program cannot be read: ${texts.join('\n')}\n To fix this, ${remedyOf(problems[0])}`,
    { problems },
  );
}

function remedyOf(problem: BuildProblem | undefined): string {
  const { remedy = 'Correct the source at this place.' } = problem ?? {};
  return remedy.charAt(0).toLowerCase() + remedy.slice(1);
}

function inSource(problem: BuildProblem, lines: number): BuildProblem {
  const { line, column, lineText } = problem;
  if (line !== undefined && line > lines) {
    const { lineText: _, ...rest } = problem;
    return { ...rest, line: lines, column: 1, message: 'The program ends too early' };
  }
  if (line !== 1) return problem;
  return {
    ...problem,
    ...(column === undefined ? {} : { column: Math.max(1, column - HEAD.length) }),
    ...(lineText === undefined ? {} : { lineText: lineText.replace(HEAD, '') }),
  };
}

/** A stack with columns of the program's source. */
export function inProgramSource(stack: string): string {
  return stack.replaceAll(
    /program\.ts:1:(\d+)/g,
    (_place, column: string) => `program.ts:1:${Math.max(1, Number(column) - HEAD.length)}`,
  );
}
