import { SourceMap } from 'node:module';

export interface OriginalPosition {
  /** Relative to the plugin's directory. */
  readonly source: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

/**
 * Where in the plugin's sources a position in its bundle comes from; `undefined` where it is none
 * of theirs. Lines and columns count from 1, as in stacks.
 */
export function findOriginalPosition(
  sourceMap: string,
  line: number,
  column: number,
): OriginalPosition | undefined {
  return makeFinder(sourceMap)(line, column);
}

/**
 * Makes of a guest's stack one that speaks of the plugin's own sources: the lines that say what
 * went wrong, and of the frames only those in the bundle, each at its place in the source. The map
 * is read when the first stack comes, and kept.
 *
 * @param sourceUrl the name that the guest gave the bundle's code
 */
export function makeStackMapper(sourceUrl: string, sourceMap: string): (stack: string) => string {
  let find: ReturnType<typeof makeFinder> | undefined;
  const mapLine = (text: string): readonly string[] => {
    if (!FRAME.test(text)) return [text];
    const position = positionIn(text, sourceUrl);
    if (position === undefined) return [];
    find ??= makeFinder(sourceMap);
    const origin = find(position.line, position.column);
    if (origin === undefined) return [];
    const place = `${origin.source}:${origin.line}:${origin.column}`;
    const name = /^\s*at (?:async )?(.*?) \(/.exec(text)?.[1] ?? '';
    return [name === '' ? `    at ${place}` : `    at ${name} (${place})`];
  };
  return (stack) => stack.split('\n').flatMap(mapLine).join('\n');
}

const FRAME = /^\s+at |^at .*:\d+:\d+\)?$/;

function positionIn(
  frame: string,
  sourceUrl: string,
): { readonly line: number; readonly column: number } | undefined {
  const at = frame.lastIndexOf(`${sourceUrl}:`);
  if (at < 0) return undefined;
  const match = /^(\d+):(\d+)/.exec(frame.slice(at + sourceUrl.length + 1));
  return match === null ? undefined : { line: Number(match[1]), column: Number(match[2]) };
}

function makeFinder(
  sourceMap: string,
): (line: number, column: number) => OriginalPosition | undefined {
  const map = new SourceMap(JSON.parse(sourceMap));
  return (line, column) => {
    const entry = map.findEntry(line - 1, column - 1);
    if (!('originalSource' in entry) || entry.generatedLine !== line - 1) return undefined;
    const { originalSource, originalLine, originalColumn } = entry;
    return originalSource === undefined || originalSource.startsWith('bulkhead:')
      ? undefined
      : { source: originalSource, line: originalLine + 1, column: originalColumn + 1 };
  };
}
