import { isRecord } from '../../sandbox/wire/json.js';

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

/** Characters of a map's `mappings`. Reading this many takes about 0.1 s, once. */
const MAX_MAPPINGS = 16 * 1024 * 1024;

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

/** What the numbers of a segment are relative to, at the start of a line. */
interface State {
  readonly at: number;
  readonly source: number;
  readonly line: number;
  readonly column: number;
}

/** Lines between two states that are stored. */
const STRIDE = 64;

/** Stores no segments, because a map of many packages has a million. */
function makeFinder(sourceMap: string, maxMappings: number): SourceFinder {
  const data: unknown = JSON.parse(sourceMap);
  if (!isRecord(data)) return () => undefined;
  const { mappings, sources } = data;
  if (typeof mappings !== 'string' || !Array.isArray(sources)) return () => undefined;
  // guard: source-map-capped
  if (mappings.length > maxMappings) return () => undefined;
  /** The states at the start of lines 0, `STRIDE`, twice that and so on, as far as they were reached. */
  const states: State[] = [{ at: 0, source: 0, line: 0, column: 0 }];
  return (line, column) => {
    const wanted = line - 1;
    let index = Math.min(Math.floor(wanted / STRIDE), states.length - 1);
    let state = states[index];
    let here = index * STRIDE;
    let found: Segment | undefined;
    while (state !== undefined && here <= wanted) {
      if (here === (index + 1) * STRIDE) states[(index += 1)] ??= state;
      const read = readLine(mappings, state, here === wanted ? column - 1 : -1);
      found = read.found;
      state = read.next;
      here += 1;
    }
    const source: unknown =
      here > wanted && found !== undefined ? sources[found.source] : undefined;
    if (found === undefined || typeof source !== 'string' || source.startsWith('bulkhead:')) {
      return undefined;
    }
    return { source, line: found.line + 1, column: found.column + 1 };
  };
}

type Segment = Omit<State, 'at'>;

/**
 * Reads one line of mappings from its state. `found`: the last segment that starts at this column or before it, if it
 * has a source. `next`: the state of the next line, if there is one.
 */
function readLine(
  mappings: string,
  state: State,
  column: number,
): { readonly found: Segment | undefined; readonly next: State | undefined } {
  let { at } = state;
  let generated = 0;
  const origin = [state.source, state.line, state.column];
  let found: Segment | undefined;
  const { length } = mappings;
  while (at < length) {
    const first = mappings.charCodeAt(at);
    if (first === SEMICOLON) break;
    if (first === COMMA) {
      at += 1;
      continue;
    }
    let fields = 0;
    for (; at < length; fields += 1) {
      let value = 0;
      let shift = 0;
      let digit: number;
      do {
        digit = DIGITS[mappings.charCodeAt(at)] ?? -1;
        if (digit < 0) break;
        at += 1;
        value |= (digit & 31) << shift;
        shift += 5;
      } while (digit > 31 && shift < 30);
      if (digit < 0) break;
      const step = value & 1 ? -(value >>> 1) : value >>> 1;
      if (fields === 0) generated += step;
      else if (fields < 4) origin[fields - 1] = (origin[fields - 1] ?? 0) + step;
    }
    // A character that is no digit ends the map.
    if (fields === 0) return { found, next: undefined };
    if (generated <= column) {
      const [source = 0, line = 0, originalColumn = 0] = origin;
      found = fields < 4 ? undefined : { source, line, column: originalColumn };
    }
  }
  const [source = 0, line = 0, originalColumn = 0] = origin;
  const next = at < length ? { at: at + 1, source, line, column: originalColumn } : undefined;
  return { found, next };
}

const SEMICOLON = 0x3b;
const COMMA = 0x2c;

/** The values of the digits of Base64, by character code; -1 for other characters. */
const DIGITS: Int8Array = new Int8Array(128).fill(-1);
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
for (let value = 0; value < BASE64.length; value += 1) DIGITS[BASE64.charCodeAt(value)] = value;
