import type { Unit } from '../../../../sandbox/wire/units.js';
import type { Bundle } from '../../plugin.js';
import type { LinkUse } from '../rewrite/linked-names.js';
import type { PreparedMap } from './merge-maps.js';

/** A unit as esbuild and the rewriting made it. */
export interface BuiltUnit extends Omit<Bundle, 'packages' | 'hash' | 'broken'> {
  /** Whether it awaits outside all functions. */
  readonly isAsync: boolean;
  /** The files of other units that it loads, in the order of its text. Absent: it was not rewritten, and may load all that it names. */
  readonly links?: ReadonlySet<string>;
  /** How it uses ES modules of other units, by file. A file that is absent may be used in any way. */
  readonly linkUses: ReadonlyMap<string, LinkUse>;
}

/** A unit, with the files of other units that it imports. */
export interface LinkedUnit {
  readonly built: BuiltUnit;
  /** The lines of its code. */
  readonly height: number;
  /** Its source map. */
  readonly map: PreparedMap;
  readonly links: readonly string[];
  /** Those of them whose evaluation may have side effects. */
  readonly effective: readonly string[];
  readonly traits: Pick<Unit, 'streams' | 'arguments' | 'isOpen'>;
}

/** The exports that are used of a file. */
export type UsedNames = ReadonlySet<string> | 'all';
