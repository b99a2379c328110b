import { isAbsolute, join, normalize } from 'node:path';
import type { Failure } from './failure.js';
import { visible } from './visible.js';

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

/** Where a failure happened: the first problem of a build, or the top line of the plugin's stack. */
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

/** The source lines round a spot, with a caret below its column; nothing where they cannot be read. */
export async function excerptOf(
  { file, line, column }: SourceSpot,
  directory: string | undefined,
  readFile: (path: string) => Promise<string>,
): Promise<string[]> {
  // A stack is text of the plugin: it may name any file, and is believed only within the plugin.
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
