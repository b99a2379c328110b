import type { Unit } from '../../../../sandbox/wire/units.js';
import type { Bundle } from '../../plugin.js';
import type { PreparedMap } from './merge-maps.js';

/** A unit as esbuild and the rewriting made it. */
export interface BuiltUnit extends Omit<Bundle, 'packages' | 'hash' | 'broken'> {
  /** Whether it awaits outside all functions. */
  readonly isAsync: boolean;
  /** The files of other units that it loads. Absent: it was not rewritten, and may load all that it names. */
  readonly links?: ReadonlySet<string>;
  /** The exports that it uses of files of other units. A file that is absent may be used as a whole. */
  readonly linked: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A unit, with the files of other units that it imports. */
export interface LinkedUnit {
  readonly built: BuiltUnit;
  /** The lines of its code. */
  readonly height: number;
  /** Its source map. */
  readonly map: PreparedMap;
  readonly links: readonly string[];
  /** Those of them that have no side effects and are not used as a whole, with the exports that are used. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>>;
  readonly traits: Pick<Unit, 'streams' | 'arguments' | 'isOpen'>;
}
