import { isRecord } from '../../../../sandbox/wire/json.js';
import type { Pieces } from '../pieces.js';

/** A source map as it becomes part of another one. A unit that is used again is prepared once. */
export interface PreparedMap {
  readonly count: number;
  /** The sources and their texts, as elements of a list in JSON. */
  readonly sources: string;
  readonly contents: string;
  readonly mappings: string;
  /** The first mapping with a source. Absent if there is none. */
  readonly first:
    | { readonly at: number; readonly length: number; readonly values: number[] }
    | undefined;
  /** The last position. */
  readonly last: Position;
  readonly lineBreaks: number;
}

/** A source map, and the line of the merged text at which its text begins, from 0. */
export interface PlacedMap {
  readonly map: PreparedMap;
  readonly lines: number;
}

/** Source, line and column, from 0. In a map each is relative to the previous one. */
type Position = readonly [source: number, line: number, column: number];

export function prepareMap(text: string): PreparedMap {
  const { sources, sourcesContent, mappings } = readMap(text);
  // They are written into JSON as they are.
  if (!/^[\w+/,;]*$/.test(mappings))
    throw new TypeError('the mappings of a source map are not valid');
  let first: PreparedMap['first'];
  let [source, line, column] = [0, 0, 0];
  for (const { 0: segment, index } of mappings.matchAll(/[^,;]+/g)) {
    const values = decode(segment);
    const [, sourceBy, lineBy, columnBy] = values;
    if (sourceBy === undefined || lineBy === undefined || columnBy === undefined) continue;
    source += sourceBy;
    line += lineBy;
    column += columnBy;
    first ??= { at: index, length: segment.length, values };
  }
  return {
    count: sources.length,
    sources: JSON.stringify(sources).slice(1, -1),
    contents: JSON.stringify(sourcesContent).slice(1, -1),
    mappings,
    first,
    last: [source, line, column],
    lineBreaks: mappings.match(/;/g)?.length ?? 0,
  };
}

/** Merges the maps of texts that follow each other, in the order of their lines, into the pieces of one map. */
export function mergeSourceMaps(placed: readonly PlacedMap[]): Pieces {
  const mappings: string[] = [];
  let line = 0;
  let count = 0;
  let last: Position = [0, 0, 0];
  for (const { map, lines } of placed) {
    mappings.push(';'.repeat(lines - line), ...moveFirst(map, count, last));
    if (map.first !== undefined) last = [map.last[0] + count, map.last[1], map.last[2]];
    line = lines + map.lineBreaks;
    count += map.count;
  }
  const withSources = placed.filter(({ map }) => map.count > 0);
  const listed = (texts: readonly string[]): readonly string[] =>
    texts.flatMap((text, index) => (index === 0 ? [text] : [',', text]));
  return [
    '{"version":3,"sources":[',
    ...listed(withSources.map(({ map }) => map.sources)),
    '],"sourcesContent":[',
    ...listed(withSources.map(({ map }) => map.contents)),
    '],"mappings":"',
    ...mappings,
    '","names":[]}',
  ];
}

/**
 * The mappings with their sources moved by `base`. Only the first position with a source changes, because the others
 * are relative to it. `before`: the last position of the mappings before them.
 */
function moveFirst(
  { mappings, first }: PreparedMap,
  base: number,
  before: Position,
): readonly string[] {
  if (first === undefined) return [mappings];
  const { at, length, values } = first;
  const [generated = 0, source = 0, line = 0, column = 0, ...rest] = values;
  const moved = [
    generated,
    source + base - before[0],
    line - before[1],
    column - before[2],
    ...rest,
  ];
  return [mappings.slice(0, at), ...moved.map(encode), mappings.slice(at + length)];
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
