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
 * The position in the plugin's sources of a position in its bundle, or `undefined` if the code is
 * not the plugin's. Lines and columns count from 1, as in stacks.
 */
export function findOriginalPosition(
  sourceMap: string,
  line: number,
  column: number,
): OriginalPosition | undefined {
  return makeFinder(sourceMap, Infinity)(line, column);
}

/**
 * Creates a function that maps a guest's stack to the plugin's sources. It keeps the message, and
 * of the frames only those in the bundle, each at its place in the source.
 *
 * The map is read once, when a stack first needs it. If the map is too large to read without
 * blocking the host, the frames are left out.
 *
 * @param sourceUrl the name of the bundle's code in the guest. A unit of the bundle has the lines before it in front of
 *   that name: `…+120/bundle.js`.
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

/** Characters of a map's `mappings`. Reading this many takes about 0.1 s. */
const MAX_MAPPINGS = 2 * 1024 * 1024;

const FRAME = /^\s+at |^at .*:\d+:\d+\)?$/;

function positionIn(
  frame: string,
  sourceUrl: string,
): { readonly line: number; readonly column: number } | undefined {
  const at = frame.lastIndexOf(`${sourceUrl}:`);
  if (at < 0) return undefined;
  const match = /^(\d+):(\d+)/.exec(frame.slice(at + sourceUrl.length + 1));
  if (match === null) return undefined;
  const before = /\+(\d{1,8})\/$/.exec(frame.slice(0, at))?.[1] ?? 0;
  return { line: Number(before) + Number(match[1]), column: Number(match[2]) };
}

function openFinder(readSourceMap: () => string): SourceFinder {
  try {
    return makeFinder(readSourceMap(), MAX_MAPPINGS);
  } catch {
    // Without its map a stack loses its frames; the error is still reported.
    return () => undefined;
  }
}

/** Line and column from 1. */
export type SourceFinder = (line: number, column: number) => OriginalPosition | undefined;

/** Reads a map once, for many lookups. */
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
