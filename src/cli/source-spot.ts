import type { BuildProblem } from '../errors.js';

/** What of a failure names places. */
interface Placed {
  readonly problems?: readonly BuildProblem[];
  readonly stack?: string;
  /** `src/index.ts:14:9`, if neither a build nor a stack has a place. */
  readonly at?: string;
}

/** A place in a plugin's sources. Lines count from 1, columns from 1. */
export interface SourceSpot {
  /** Relative to the plugin's directory. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly remedy: string | undefined;
}

/**
 * The place of a failure: the first problem of a build, or the top line of the plugin's stack in its own
 * files. Without one, the place of the code that failed counts, and then a dependency's line.
 */
export function spotOf({ problems, stack, at }: Placed): SourceSpot | undefined {
  const problem = problems?.[0];
  if (problem?.file !== undefined && problem.line !== undefined) {
    const { file, line, column, remedy } = problem;
    return { file, line, column: column ?? 1, remedy };
  }
  const frames = framesOf(stack ?? '');
  return frames.find(({ file }) => !isDependency(file)) ?? framesOf(`    at ${at}`)[0] ?? frames[0];
}

/** Whether a failure has a place in the plugin's own files. */
export function hasOwnSpot(placed: Placed): boolean {
  const spot = spotOf(placed);
  return spot !== undefined && !isDependency(spot.file);
}

/** The place in a dependency that threw, if the plugin's own line is shown. */
export function thrownIn({ stack, at }: Pick<Placed, 'stack' | 'at'>): SourceSpot | undefined {
  const [first, ...others] = framesOf(stack ?? '');
  if (first === undefined || !isDependency(first.file)) return undefined;
  const isOwnShown = at !== undefined || others.some(({ file }) => !isDependency(file));
  return isOwnShown ? first : undefined;
}

function isDependency(file: string): boolean {
  return file.startsWith('node_modules/') || file.includes('/node_modules/');
}

function framesOf(stack: string): readonly SourceSpot[] {
  return [...stack.matchAll(/^\s*at (?:.*\()?([^\s()]+):(\d+):(\d+)\)?$/gm)].map(
    ([, file = '', line, column]) => ({
      file,
      line: Number(line),
      column: Number(column),
      remedy: undefined,
    }),
  );
}
