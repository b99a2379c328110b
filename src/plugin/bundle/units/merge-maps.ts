import { isRecord } from '../../../../sandbox/wire/json.js';

/** A source map, and the line of the merged text at which its text begins, from 0. */
export interface PlacedMap {
  readonly map: string;
  readonly lines: number;
}

/** Merges the maps of texts that follow each other, in the order of their lines, into one map. */
export function mergeSourceMaps(placed: readonly PlacedMap[]): string {
  const sources: string[] = [];
  const sourcesContent: (string | null)[] = [];
  let mappings = '';
  let line = 0;
  let last: Position = [0, 0, 0];
  for (const { map, lines } of placed) {
    const read = readMap(map);
    mappings += ';'.repeat(lines - line);
    const moved = moveFirst(read.mappings, [sources.length, 0, 0], last);
    mappings += moved.text;
    last = moved.last;
    line = lines + (read.mappings.match(/;/g)?.length ?? 0);
    sources.push(...read.sources);
    sourcesContent.push(...read.sourcesContent);
  }
  return JSON.stringify({ version: 3, sources, sourcesContent, mappings, names: [] });
}

/** Source, line and column, from 0. In a map each is relative to the previous one. */
type Position = readonly [source: number, line: number, column: number];

/**
 * Moves the sources of mappings by `base`. Only the first position with a source changes, because the others are
 * relative to it. `before`: the last position of the mappings before them.
 */
function moveFirst(
  mappings: string,
  base: Position,
  before: Position,
): { readonly text: string; readonly last: Position } {
  let text: string | undefined;
  let [source, line, column] = [0, 0, 0];
  for (const { 0: segment, index } of mappings.matchAll(/[^,;]+/g)) {
    const [generated = 0, ...rest] = decode(segment);
    const [sourceBy, lineBy, columnBy] = rest;
    if (sourceBy === undefined || lineBy === undefined || columnBy === undefined) continue;
    source += sourceBy;
    line += lineBy;
    column += columnBy;
    text ??=
      mappings.slice(0, index) +
      [
        generated,
        source + base[0] - before[0],
        line + base[1] - before[1],
        column + base[2] - before[2],
      ]
        .map(encode)
        .join('') +
      mappings.slice(index + segment.length);
  }
  return text === undefined
    ? { text: mappings, last: before }
    : { text, last: [source + base[0], line + base[1], column + base[2]] };
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function decode(segment: string): number[] {
  const values: number[] = [];
  let value = 0;
  let shift = 0;
  for (const character of segment) {
    const digit = DIGITS.indexOf(character);
    value += (digit & 31) * 2 ** shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    values.push(value % 2 === 1 ? -((value - 1) / 2) : value / 2);
    value = 0;
    shift = 0;
  }
  return values;
}

function encode(value: number): string {
  let rest = value < 0 ? -value * 2 + 1 : value * 2;
  let text = '';
  do {
    const digit = rest % 32;
    rest = Math.floor(rest / 32);
    text += DIGITS[rest > 0 ? digit + 32 : digit];
  } while (rest > 0);
  return text;
}

function readMap(text: string): {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly (string | null)[];
  readonly mappings: string;
} {
  const map: unknown = JSON.parse(text);
  if (!isRecord(map) || !Array.isArray(map['sources'])) throw new TypeError('not a source map');
  const contents: unknown[] = Array.isArray(map['sourcesContent']) ? map['sourcesContent'] : [];
  return {
    sources: map['sources'].map(String),
    sourcesContent: map['sources'].map((_, index) => {
      const content = contents[index];
      return typeof content === 'string' ? content : null;
    }),
    mappings: String(map['mappings']),
  };
}
