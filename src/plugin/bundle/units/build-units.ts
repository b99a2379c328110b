import {
  NODE_UNIT,
  OWN_UNIT,
  readUnits,
  PROGRAM_MODULE,
  STREAMS_MODULE,
  type Unit,
  writeUnits,
} from '../../../../sandbox/wire/units.js';
import type { Bundle } from '../../plugin.js';
import type { UnitSources } from '../esbuild-plugin.js';
import type { PluginFiles } from '../files.js';
import { MAX_MESSAGES, bundleFailed } from '../problems.js';
import { mergeSourceMaps } from './merge-maps.js';
import { isEsModule } from '../source/module-syntax.js';
import { makeDeclared, unitOf } from './packages.js';

/** A unit as esbuild and the rewriting made it. */
export interface BuiltUnit extends Omit<Bundle, 'packages' | 'hash' | 'broken'> {
  /** Whether it awaits outside all functions. */
  readonly isAsync: boolean;
}

/** A unit, with the files of other units that it imports. */
interface LinkedUnit {
  readonly built: BuiltUnit;
  readonly links: readonly string[];
}

/**
 * Builds the plugin's own code and each npm package that it reaches as units of one text. A package is built again if
 * a later one imports more of its files. `build` makes one unit.
 */
export async function buildUnits(
  files: PluginFiles,
  together: readonly string[],
  build: (unit: UnitSources) => Promise<BuiltUnit>,
): Promise<BuiltUnit> {
  /** The files of each unit that others import. */
  const wanted = new Map<string, Set<string>>([[OWN_UNIT, new Set()]]);
  const done = new Map<string, LinkedUnit & { readonly offered: number }>();
  const owner = (file: string): string => unitOf(file, together);
  /** Units in cycles, whose files other units need before they are evaluated. */
  const cyclic = new Set<string>();
  /** Units that await at their top level: the guest evaluates all their offered files before others. */
  const waiting = new Set<string>();
  const isEager = (path: string, offered: ReadonlySet<string>): boolean =>
    path !== NODE_UNIT &&
    !cyclic.has(path) &&
    (offered.size === 1 || waiting.has(path)) &&
    [...offered].every((file) => isEsModule(file, files.read(file)));
  for (;;) {
    const open = [...wanted].filter(([path, offered]) => done.get(path)?.offered !== offered.size);
    for (const [path, offered] of open) {
      const links = new Set<string>();
      const eager = isEager(path, offered);
      const built = await build({
        path,
        unitOf: owner,
        offered: [...offered].toSorted(),
        eager,
        link: (file) => links.add(file),
      });
      if (!eager && offered.size > 0 && AWAITS.test(built.code)) {
        // guard: separate-package-does-not-await
        waiting.add(path);
        if (!isEager(path, offered)) refuseTopLevelAwait(path);
        continue;
      }
      // Each unit resolves the stand-ins of global names, and few use one.
      const used = [...links].filter(
        (file) => owner(file) !== NODE_UNIT || built.code.includes(JSON.stringify(file)),
      );
      done.set(path, { built, links: used, offered: offered.size });
      for (const file of used) {
        const unit = owner(file);
        wanted.set(unit, (wanted.get(unit) ?? new Set()).add(file));
      }
    }
    if (open.length > 0) continue;
    const found = cyclicUnits(done, owner).filter((path) =>
      isEager(path, wanted.get(path) ?? new Set()),
    );
    if (found.length === 0) break;
    for (const path of found) {
      if (done.get(path)?.built.isAsync === true) refuseTopLevelAwait(path);
      cyclic.add(path);
      done.delete(path);
    }
  }
  return join(
    [...done].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    files,
    owner,
  );
}

function join(
  units: readonly (readonly [path: string, unit: LinkedUnit])[],
  files: PluginFiles,
  owner: (file: string) => string,
): BuiltUnit {
  const isDeclared = makeDeclared(files);
  const code = writeUnits(
    units.map(([path, { built, links }]): Unit => {
      // Every unit may import the shared stand-ins.
      const imported = links.filter((file) => owner(file) !== NODE_UNIT);
      return {
        path,
        code: built.code,
        assigned: built.assignedGlobals,
        isAsync: built.isAsync,
        streams: streamsIn(built, path, files),
        arguments: argumentsIn(built, path, files),
        ...(mayExtend(built, path, files) ? { isOpen: true } : {}),
        imports: [...new Set(imported.map(owner))].toSorted(),
        undeclared: [
          ...new Set(imported.filter((file) => !isDeclared(path, file)).map(owner)),
        ].toSorted(),
      };
    }),
  );
  const placed = readUnits(code);
  const all = units.map(([, { built }]) => built);
  const inputs = new Map(all.flatMap((one) => one.inputs).map((input) => [input.path, input]));
  return {
    code,
    sourceMap: mergeSourceMaps(
      placed.map(({ lines }, index) => ({ map: all[index]?.sourceMap ?? '', lines })),
    ),
    assignedGlobals: all[0]?.assignedGlobals ?? [],
    isAsync: all.some(({ isAsync }) => isAsync),
    inputs: [...inputs.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    warnings: [...new Set(all.flatMap(({ warnings }) => warnings))].slice(0, MAX_MESSAGES),
  };
}

/**
 * Whether the code of a package may add to its own classes after it was evaluated: it has a name for a prototype, or
 * assigns to a class. Searches text, not syntax, and so finds too many.
 */
function mayExtend({ inputs }: BuiltUnit, path: string, files: PluginFiles): boolean {
  return path !== OWN_UNIT && inputs.some(({ path: file }) => EXTENDS.test(files.read(file)));
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
function streamsIn(
  { code, inputs }: BuiltUnit,
  path: string,
  files: PluginFiles,
): string | undefined {
  if (path === OWN_UNIT || !code.includes(STREAMS_MODULE)) return undefined;
  for (const { path: file } of inputs) {
    const text = files.read(file);
    const at = text.search(/\bstdin\b/);
    if (at >= 0 && /\bstdout\b/.test(text)) return placeAt(file, text, at);
  }
  return undefined;
}

/** The first place where a package reads the arguments of a program. */
function argumentsIn(
  { code, inputs }: BuiltUnit,
  path: string,
  files: PluginFiles,
): string | undefined {
  if (path === OWN_UNIT || !code.includes(PROGRAM_MODULE)) return undefined;
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

/** The files of such a unit cannot wait for it: it has CommonJS too, or units import each other in a cycle. */
function refuseTopLevelAwait(path: string): never {
  throw bundleFailed([
    {
      message: `${path} awaits at its top level, so it cannot be evaluated separately`,
      remedy: `To run it as part of the plugin's own code, with all that the plugin may do, add ${JSON.stringify(path)} to "together" of the option packages, or --package-together ${path}.`,
    },
  ]);
}
