import { NODE_UNIT, OWN_UNIT } from '../../../../sandbox/wire/units.js';
import type { LinkedUnit, UsedNames } from './linked-unit.js';

export interface EagerFilesSpec {
  /** The units that were built. */
  readonly done: ReadonlyMap<string, LinkedUnit>;
  readonly owner: (file: string) => string;
  readonly isModule: (file: string) => boolean;
  /** A file of a package that is the plugin's only surface, and so is evaluated whenever the plugin is. */
  readonly start: string | undefined;
}

/**
 * Finds the offered files that may be evaluated as soon as their unit is: ES modules whose exports no other unit needs
 * before. esbuild need not wrap their modules in functions, and leaves out exports that are not used.
 */
export class EagerFiles {
  /** Files of packages that do not say that their evaluation has no side effects. */
  readonly effective: Set<string> = new Set();
  /** Units in cycles, whose files other units need before they are evaluated. */
  readonly cyclic: Set<string> = new Set();
  /** Units that await at their top level: the guest evaluates all their ES modules before others. */
  readonly waiting: Set<string> = new Set();
  readonly #spec: EagerFilesSpec;

  constructor(spec: EagerFilesSpec) {
    this.#spec = spec;
  }

  /** In the order in which they were first imported. */
  of(path: string, uses: ReadonlyMap<string, UsedNames>): readonly string[] {
    const start = this.#findStart();
    return this.#among(path, uses, (file) => start.has(file));
  }

  /** Those that are eager whatever the plugin evaluates as it starts. */
  certain(path: string, uses: ReadonlyMap<string, UsedNames>): readonly string[] {
    return this.#among(path, uses, () => false);
  }

  #among(
    path: string,
    uses: ReadonlyMap<string, UsedNames>,
    isAtStart: (file: string) => boolean,
  ): readonly string[] {
    const isWhole = uses.size === 1 || this.waiting.has(path);
    return [...uses.keys()].filter(
      (file) =>
        (isWhole || isAtStart(file) || this.#isHarmless(file, uses)) && this.#mayBe(path, file),
    );
  }

  #mayBe(path: string, file: string): boolean {
    return path !== NODE_UNIT && !this.cyclic.has(path) && this.#spec.isModule(file);
  }

  /** Whether a file may be evaluated although no code that imports it is: only static imports have names. */
  #isHarmless(file: string, uses: ReadonlyMap<string, UsedNames>): boolean {
    return uses.get(file) !== 'all' && !this.effective.has(file);
  }

  /** The files that are evaluated whenever the plugin is. */
  #findStart(): ReadonlySet<string> {
    const { start, done, owner } = this.#spec;
    const found = new Set<string>(start === undefined ? [] : [start]);
    const importers = [OWN_UNIT, ...[...found].map(owner)];
    for (let path = importers.pop(); path !== undefined; path = importers.pop()) {
      for (const [file, { isAtOnce }] of done.get(path)?.built.linkUses ?? []) {
        if (!isAtOnce || found.has(file)) continue;
        found.add(file);
        if (this.#mayBe(owner(file), file)) importers.push(owner(file));
      }
    }
    return found;
  }
}
