import {
  NODE_UNIT,
  OWN_UNIT,
  readUnits,
  type Unit,
  writeUnits,
} from '../../../../sandbox/wire/units.js';
import type { Bundle } from '../../plugin.js';
import type { UnitSources } from '../esbuild-plugin.js';
import type { PluginFiles } from '../files.js';
import { MAX_MESSAGES, bundleFailed } from '../problems.js';
import { mergeSourceMaps } from './merge-maps.js';
import { makeDeclared, unitOf } from './packages.js';

/** A unit as esbuild and the rewriting made it. */
export type BuiltUnit = Omit<Bundle, 'packages' | 'hash' | 'broken'>;

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
  for (;;) {
    const open = [...wanted].filter(([path, offered]) => done.get(path)?.offered !== offered.size);
    if (open.length === 0) break;
    for (const [path, offered] of open) {
      const links = new Set<string>();
      const built = await build({
        path,
        unitOf: owner,
        offered: [...offered].toSorted(),
        link: (file) => links.add(file),
      });
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
    inputs: [...inputs.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    warnings: [...new Set(all.flatMap(({ warnings }) => warnings))].slice(0, MAX_MESSAGES),
  };
}

/**
 * Throws if a file that other units import awaits at its top level: they could not wait for it. `text`: the output of
 * esbuild, which wraps such a file in an async function.
 */
export function refuseTopLevelAwait({ path, offered }: UnitSources, text: string): void {
  // guard: separate-package-does-not-await
  if (offered.length === 0 || !/\b__esm\(\{\s*async\b/.test(text)) return;
  throw bundleFailed([
    {
      message: `${path} awaits at its top level, so it cannot be evaluated separately`,
      remedy: `To run it as part of the plugin's own code, with all that the plugin may do, add ${JSON.stringify(path)} to "together" of the option packages.`,
    },
  ]);
}
