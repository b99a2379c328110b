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
  return makeFinder(sourceMap, Infinity)(line, column);
}

/**
 * Makes what turns a guest's stack into one that speaks of the plugin's own sources: the lines that
 * say what went wrong, and of the frames only those in the bundle, each at its place in the source.
 *
 * The map is read once, when a stack first needs it, and not at all where it is so large that
 * reading it would keep the host from its other work: then the frames are left out.
 *
 * @param sourceUrl the name that the guest gave the bundle's code
 */
export function makeStackMapper(
  sourceUrl: string,
  readSourceMap: () => string,
): (stack: string) => string {
  let find: SourceFinder | undefined;
  return (stack) =>
    stack
      .split('\n')
      .flatMap((text) => {
        if (!FRAME.test(text)) return [text];
        const position = positionIn(text, sourceUrl);
        if (position === undefined) return [];
        find ??= openFinder(readSourceMap);
        const origin = find(position.line, position.column);
        if (origin === undefined) return [];
        const place = `${origin.source}:${origin.line}:${origin.column}`;
        const name = /^\s*at (?:async )?(.*?) \(/.exec(text)?.[1] ?? '';
        return [name === '' ? `    at ${place}` : `    at ${name} (${place})`];
      })
      .join('\n');
}

/** Characters of a map's `mappings`: what takes a tenth of a second to read. */
const MAX_MAPPINGS = 2 * 1024 * 1024;

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

function openFinder(readSourceMap: () => string): SourceFinder {
  try {
    return makeFinder(readSourceMap(), MAX_MAPPINGS);
  } catch {
    // A map that is gone costs a stack its frames, and not whoever wants to tell of the error.
    return () => undefined;
  }
}

/** Line and column from 1. */
export type SourceFinder = (line: number, column: number) => OriginalPosition | undefined;

/** Reads a map once, to look many positions up in it. */
export function makeSourceFinder(sourceMap: string): SourceFinder {
  return makeFinder(sourceMap, Infinity);
}

function makeFinder(sourceMap: string, maxMappings: number): SourceFinder {
  const data: ConstructorParameters<typeof SourceMap>[0] = JSON.parse(sourceMap);
  if (data.mappings.length > maxMappings) return () => undefined;
  const map = new SourceMap(data);
  return (line, column) => {
    const entry = map.findEntry(line - 1, column - 1);
    if (!('originalSource' in entry) || entry.generatedLine !== line - 1) return undefined;
    const { originalSource, originalLine, originalColumn } = entry;
    return originalSource === undefined || originalSource.startsWith('bulkhead:')
      ? undefined
      : { source: originalSource, line: originalLine + 1, column: originalColumn + 1 };
  };
}
