import {
  countLines,
  INSTALLED_UNIT,
  linesOf,
  NODE_UNIT,
  OWN_UNIT,
  PROGRAM_MODULE,
  STREAMS_MODULE,
  piecesOfUnits,
} from '../../../../sandbox/wire/units.js';
import type { UnitSources } from '../esbuild-plugin.js';
import type { PluginFiles } from '../files.js';
import type { InPieces } from '../pieces.js';
import { MAX_MESSAGES } from '../problems.js';
import type { Separation } from '../spec.js';
import { mergeSourceMaps, prepareMap } from './merge-maps.js';
import { isEsModule } from '../source/module-syntax.js';
import { makeDeclared, unitOf } from './packages.js';
import { EagerFiles, type EagerFilesSpec } from './eager-files.js';
import type { BuiltUnit, LinkedUnit, UsedNames } from './linked-unit.js';
import type { UnitMemo } from './unit-memo.js';

/** A unit that awaits at its top level, whose files cannot wait for it. */
export class UnitAwaits extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} awaits at its top level, so it cannot be evaluated separately`);
    this.path = path;
  }
}

export interface UnitsSpec extends Pick<EagerFilesSpec, 'start'> {
  readonly files: PluginFiles;
  readonly separation: Separation;
  readonly memo: UnitMemo;
  /** All that the units depend on besides files. */
  readonly key: string;
  /** Builds one unit of these files. */
  readonly build: (unit: UnitSources, files: PluginFiles) => Promise<BuiltUnit>;
}

/**
 * Builds the plugin's own code and the npm packages that it reaches as units of one text. A unit is built again if a
 * later one imports more of its files. Throws `UnitAwaits`.
 */
export async function buildUnits(spec: UnitsSpec): Promise<InPieces<BuiltUnit>> {
  const { files, separation, start, memo, key, build } = spec;
  /** The files of each unit that others import, with the exports that they use if that is known. */
  const wanted = new Map<string, Map<string, UsedNames>>([[OWN_UNIT, new Map()]]);
  const done = new Map<string, LinkedUnit & { readonly version: string }>();
  const builds = new Map<string, number>();
  const owner = (file: string): string => unitOf(file, separation);
  const modules = new Map<string, boolean>();
  const isModule = (file: string): boolean => {
    const known = modules.get(file) ?? isEsModule(file, files.read(file));
    modules.set(file, known);
    return known;
  };
  const eagerFiles = new EagerFiles({ done, owner, isModule, start });
  const requestOf = (path: string, uses: ReadonlyMap<string, UsedNames>): Request => {
    const offered = [...uses.keys()].toSorted();
    const request = (eager: Request['eager'], names: Request['names']): Request => ({
      offered,
      eager,
      names,
      version: JSON.stringify([offered, eager, names]),
    });
    // With each save, the author's code may use other exports of the installed packages.
    if (path === INSTALLED_UNIT) return request(eagerFiles.certain(path, uses), []);
    const eager = eagerFiles.of(path, uses);
    const cut = request(
      eager,
      [...uses].flatMap(([file, used]) =>
        used === 'all' || !eager.includes(file) ? [] : [[file, [...used].toSorted()] as const],
      ),
    );
    // Each further export is one more build.
    const isNew = done.get(path)?.version !== cut.version;
    return isNew && (builds.get(path) ?? 0) >= MAX_BUILDS
      ? request(eagerFiles.certain(path, uses), [])
      : cut;
  };
  for (;;) {
    const open = [...wanted].filter(
      ([path, uses]) => done.get(path)?.version !== requestOf(path, uses).version,
    );
    for (const [path, uses] of open) {
      // Units that were built before it in this turn may use more of it.
      const { offered, eager, names, version } = requestOf(path, uses);
      builds.set(path, (builds.get(path) ?? 0) + 1);
      const sources = {
        path,
        unitOf: owner,
        offered,
        eager,
        names: new Map(names),
      };
      const unit = await memo.build(JSON.stringify([key, path, version]), files, (seen) =>
        linkedUnit(sources, seen, build),
      );
      const { built, links } = unit;
      for (const file of unit.effective) eagerFiles.effective.add(file);
      if (eager.length < offered.length && AWAITS.test(built.code)) {
        // guard: separate-package-does-not-await
        if (eagerFiles.waiting.has(path)) throw new UnitAwaits(path);
        eagerFiles.waiting.add(path);
        continue;
      }
      done.set(path, { ...unit, version });
      for (const file of links) {
        const other = owner(file);
        const used = wanted.get(other) ?? new Map<string, UsedNames>();
        wanted.set(
          other,
          used.set(file, bothOf(used.get(file), built.linkUses.get(file)?.names ?? 'all')),
        );
      }
    }
    if (open.length > 0) continue;
    const found = cyclicUnits(done, owner).filter(
      (path) => eagerFiles.of(path, wanted.get(path) ?? new Map()).length > 0,
    );
    if (found.length === 0) break;
    for (const path of found) {
      if (done.get(path)?.built.isAsync === true) throw new UnitAwaits(path);
      eagerFiles.cyclic.add(path);
      done.delete(path);
    }
  }
  return join(
    [...done].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    files,
    owner,
  );
}

/** What a unit is built for. */
interface Request extends Pick<UnitSources, 'offered' | 'eager'> {
  readonly names: readonly (readonly [file: string, names: readonly string[]])[];
  readonly version: string;
}

/** Builds of a unit without the exports that are not used. The next one has them all, and is the last for exports. */
const MAX_BUILDS = 2;

function bothOf(one: UsedNames | undefined, other: UsedNames): UsedNames {
  if (one === undefined) return other;
  return one === 'all' || other === 'all' ? 'all' : new Set([...one, ...other]);
}

async function linkedUnit(
  sources: Omit<UnitSources, 'link'>,
  files: PluginFiles,
  build: UnitsSpec['build'],
): Promise<LinkedUnit> {
  const linked = new Map<string, boolean>();
  const link = (file: string, hasSideEffects: boolean): void =>
    void linked.set(file, hasSideEffects || linked.get(file) === true);
  const built = await build({ ...sources, link }, files);
  const { path } = sources;
  // Much of what was resolved is not used: stand-ins of global names, and exports that are left out.
  const links = [...(built.links ?? linked.keys())].filter((file) => linked.has(file));
  return {
    built,
    height: countLines(built.code),
    map: prepareMap(built.sourceMap),
    links,
    effective: links.filter((file) => linked.get(file) === true),
    // The plugin's own code, and what gets all that it gets, needs no grant.
    traits:
      path === OWN_UNIT || path === INSTALLED_UNIT
        ? {}
        : {
            streams: streamsIn(built, files),
            arguments: argumentsIn(built, files),
            ...(mayExtend(built, files) ? { isOpen: true } : {}),
          },
  };
}

function join(
  units: readonly (readonly [path: string, unit: LinkedUnit])[],
  files: PluginFiles,
  owner: (file: string) => string,
): InPieces<BuiltUnit> {
  const isDeclared = makeDeclared(files);
  const code = piecesOfUnits(
    units.map(([path, { built, height, links, traits }]) => {
      // Every unit may import the shared stand-ins.
      const imported = links.filter((file) => owner(file) !== NODE_UNIT);
      return {
        path,
        code: built.code,
        height,
        assigned: built.assignedGlobals,
        isAsync: built.isAsync,
        ...traits,
        imports: [...new Set(imported.map(owner))].toSorted(),
        undeclared: [
          ...new Set(imported.filter((file) => !isDeclared(path, file)).map(owner)),
        ].toSorted(),
      };
    }),
  );
  const lines = linesOf(units.map(([, unit]) => unit));
  const all = units.map(([, { built }]) => built);
  const inputs = new Map(all.flatMap((one) => one.inputs).map((input) => [input.path, input]));
  return {
    code,
    sourceMap: mergeSourceMaps(
      units.map(([, { map }], index) => ({ map, lines: lines[index] ?? 0 })),
    ),
    assignedGlobals: units.flatMap(([path, { built }]) =>
      path === OWN_UNIT || path === INSTALLED_UNIT ? built.assignedGlobals : [],
    ),
    isAsync: all.some(({ isAsync }) => isAsync),
    linkUses: new Map(),
    inputs: [...inputs.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    warnings: [...new Set(all.flatMap(({ warnings }) => warnings))].slice(0, MAX_MESSAGES),
  };
}

/**
 * Whether the code of a package may add to its own classes after it was evaluated: it has a name for a prototype, or
 * assigns to a class. Searches text, not syntax, and so finds too many.
 */
function mayExtend({ inputs }: BuiltUnit, files: PluginFiles): boolean {
  return inputs.some(({ path: file }) => EXTENDS.test(files.read(file)));
}

const EXTENDS = new RegExp(
  [
    String.raw`(?<!\b(?:Object|Array|Function|String|RegExp|Number|Date|Map|Set)\.)\bprototype\b`,
    String.raw`\b(?:__proto__|getPrototypeOf|setPrototypeOf|__define[GS]etter__)\b`,
    String.raw`\bdefinePropert(?:y|ies)\s*\((?!\s*(?:exports|module\.exports)\b)`,
    String.raw`\bconstructor\s*[.[]`,
    String.raw`\b[A-Z]\w*\s*\.\s*[\w$]+\s*(?:[|?&]{2})?=(?!=)`,
  ].join('|'),
);

/** The first file of a package that reads and writes the standard streams of a program. */
function streamsIn({ code, inputs }: BuiltUnit, files: PluginFiles): string | undefined {
  if (!code.includes(STREAMS_MODULE)) return undefined;
  for (const { path: file } of inputs) {
    const text = files.read(file);
    const at = text.search(/\bstdin\b/);
    if (at >= 0 && /\bstdout\b/.test(text)) return placeAt(file, text, at);
  }
  return undefined;
}

/** The first place where a package reads the arguments of a program. */
function argumentsIn({ code, inputs }: BuiltUnit, files: PluginFiles): string | undefined {
  if (!code.includes(PROGRAM_MODULE)) return undefined;
  for (const { path: file } of inputs) {
    const text = files.read(file);
    const at = text.search(/\bprocess\s*\??\.\s*argv\b/);
    if (at >= 0) return placeAt(file, text, at);
  }
  return undefined;
}

function placeAt(file: string, text: string, at: number): string {
  const before = text.slice(0, at);
  return `${file}:${before.split('\n').length}:${at - before.lastIndexOf('\n')}`;
}

/** The units that import themselves through others. */
function cyclicUnits(
  units: ReadonlyMap<string, LinkedUnit>,
  owner: (file: string) => string,
): readonly string[] {
  const importsOf = (path: string): ReadonlySet<string> =>
    new Set(units.get(path)?.links.map(owner));
  return [...units.keys()].filter((path) => {
    const seen = new Set<string>();
    const open = [...importsOf(path)];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === path) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...importsOf(next));
    }
    return false;
  });
}

/** How esbuild wraps a module that awaits at its top level and that others load in a function. */
const AWAITS = /\b__esm\(\{\s*async\b/;
