import { isRecord } from './json.js';

/**
 * A bundle whose npm packages are evaluated separately. Its text is one line with the index, then the
 * code of each unit:
 *
 * ```text
 * //bulkhead-packages-1 {"units":[{"path":".","length":812,"assigned":[],"imports":["node_modules/a"]},…]}
 * (function ($bulkhead) { … })
 * (function ($bulkhead) { … })
 * ```
 */
export interface Unit {
  /** `.` for the plugin's own code; else the directory of the package, relative to the plugin's. */
  readonly path: string;
  /** One expression, as the code of a bundle. */
  readonly code: string;
  /** Global names that the code assigns to. */
  readonly assigned: readonly string[];
  /** Whether its code is an async function, because it awaits at its top level. */
  readonly isAsync: boolean;
  /** The paths of the units that it imports. */
  readonly imports: readonly string[];
  /** Those that its package.json does not name as dependencies. */
  readonly undeclared: readonly string[];
  /** Whether its code may add to its own classes while it runs. Then other packages can too. */
  readonly isOpen?: boolean;
  /** Where its files use the standard streams of a program, as file:line:column. */
  readonly streams?: string | undefined;
  /** Where its files read the arguments of a program, in the same form. */
  readonly arguments?: string | undefined;
}

/** A unit in a bundle's text. */
export interface PlacedUnit extends Unit {
  /** The line of the text before the unit's first line, from 0. */
  readonly lines: number;
  /** The lines of its code. */
  readonly height: number;
}

/** All of a unit but its text. */
export type UnitFacts = Omit<PlacedUnit, 'code'>;

export function factsOf(unit: PlacedUnit): UnitFacts {
  const { code: _, ...facts } = unit;
  return facts;
}

/** The path of the plugin's own code. */
export const OWN_UNIT = '.';

/**
 * The path of the unit with all npm packages, for a plugin that its author changes again and again: they are built
 * once, and its own code at each change. It gets what the plugin's own code gets.
 */
export const INSTALLED_UNIT = 'node_modules';

/** Whether a file is one of `INSTALLED_UNIT`. */
export function isInstalled(file: string): boolean {
  return /(?:^|\/)node_modules\//.test(file);
}

/** The path of the unit with the stand-ins for Node's modules that all units share. Its files are `<path>/<name>`. */
export const NODE_UNIT = 'bulkhead:node';

/** The module with the standard streams of a plugin that is a program. */
export const STREAMS_MODULE = 'bulkhead:stdio';

/** The module with the arguments and the end of a plugin that is a program. */
export const PROGRAM_MODULE = 'bulkhead:program';

const MARK = '//bulkhead-packages-1 ';

/** Whether a bundle's text has units. */
export function hasUnits(text: string): boolean {
  return text.startsWith(MARK);
}

/** Whether all npm packages of a bundle with units are `INSTALLED_UNIT`. */
export function areInstalledTogether(text: string): boolean {
  return readUnits(text).some(({ path }) => path === INSTALLED_UNIT);
}

/** The text of a bundle with these units. */
export function writeUnits(units: readonly UnitToWrite[]): string {
  // Joined at once: the text may have megabytes, and each step would copy it.
  return piecesOfUnits(units).join('');
}

/** `height`: if the caller knows it. */
type UnitToWrite = Unit & Partial<Pick<PlacedUnit, 'height'>>;

/** The pieces of the text of `writeUnits`. The code of each unit is one of them. */
export function piecesOfUnits(units: readonly UnitToWrite[]): readonly string[] {
  const index = units.map(({ code, isAsync, height, ...unit }) => ({
    ...unit,
    ...(isAsync ? { isAsync } : {}),
    length: code.length,
    height: height ?? countLines(code),
  }));
  const head = MARK + JSON.stringify({ units: index });
  return [head, '\n', ...units.flatMap(({ code }) => [code, '\n'])];
}

/** The first line of each unit in the text of `writeUnits`, from 0. */
export function linesOf(units: readonly Pick<PlacedUnit, 'height'>[]): readonly number[] {
  let line = 1;
  return units.map(({ height }) => {
    line += height;
    return line - height;
  });
}

/** Reads a text that `writeUnits` wrote. Throws for any other text. */
export function readUnits(text: string): readonly PlacedUnit[] {
  const end = text.indexOf('\n');
  const head: unknown = hasUnits(text) ? JSON.parse(text.slice(MARK.length, end)) : undefined;
  if (!isRecord(head) || !Array.isArray(head['units'])) throw new Error('the bundle has no units');
  let at = end + 1;
  let lines = 1;
  return head['units'].map((unit: unknown) => {
    if (!isRecord(unit)) throw new Error('a unit of the bundle is not valid');
    const { path, length, height } = unit;
    if (typeof path !== 'string' || typeof length !== 'number') {
      throw new Error('a unit of the bundle is not valid');
    }
    const code = text.slice(at, at + length);
    const placed = {
      path,
      code,
      assigned: textsOf(unit['assigned']),
      isAsync: unit['isAsync'] === true,
      imports: textsOf(unit['imports']),
      undeclared: textsOf(unit['undeclared']),
      ...(unit['isOpen'] === true ? { isOpen: true } : {}),
      ...(typeof unit['streams'] === 'string' ? { streams: unit['streams'] } : {}),
      ...(typeof unit['arguments'] === 'string' ? { arguments: unit['arguments'] } : {}),
      lines,
      height: typeof height === 'number' ? height : countLines(code),
    };
    at += length + 1;
    lines += placed.height;
    return placed;
  });
}

/** The lines of a text that a line break follows. */
export function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}
