import { INSTALLED_UNIT, NODE_UNIT, OWN_UNIT } from '../../../../sandbox/wire/units.js';
import { packageNameOf, packageOf } from '../../package-path.js';
import type { PluginFiles } from '../files.js';
import { dependenciesIn } from '../manifest-dependencies.js';
import type { Separation } from '../spec.js';

/**
 * The unit that a file belongs to: the directory of its npm package, or `.` for the plugin's own files and those of
 * the packages in `together`. Shared stand-ins for Node's modules have a unit of their own.
 */
export function unitOf(file: string, separation: Separation): string {
  if (file.startsWith(`${NODE_UNIT}/`)) return NODE_UNIT;
  const path = packageOf(file);
  if (path === undefined) return OWN_UNIT;
  if (separation === 'installed') return INSTALLED_UNIT;
  return separation.together.includes(path) ? OWN_UNIT : path;
}

/** Returns a test whether a package names the package of a file as its dependency. */
export function makeDeclared(files: PluginFiles): (importer: string, file: string) => boolean {
  const known = new Map<string, ReadonlySet<string>>();
  return (importer, file) => {
    const name = packageNameOf(file);
    if (importer === OWN_UNIT || importer === INSTALLED_UNIT) return true;
    if (name === undefined) return false;
    const names = known.get(importer) ?? dependenciesOf(`${importer}/package.json`, files);
    known.set(importer, names);
    return names.has(name);
  };
}

function dependenciesOf(file: string, files: PluginFiles): ReadonlySet<string> {
  const located = files.locate(file);
  return located?.kind === 'file' ? dependenciesIn(files.read(located.path)) : new Set();
}
