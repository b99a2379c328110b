import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../../../sandbox/wire/json.js';

/**
 * The npm packages that a plugin could import: those of its package.json, and those of each
 * `node_modules` where Node would look. `undefined` if it has none of them, e.g. in an artifact.
 */
export function packageNames(directory: string): readonly string[] | undefined {
  const names = new Set(dependencies(directory));
  for (let at = directory; ; at = dirname(at)) {
    for (const name of installed(join(at, 'node_modules'))) names.add(name);
    if (at === dirname(at)) break;
  }
  return names.size === 0 ? undefined : [...names];
}

function dependencies(directory: string): readonly string[] {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    if (!isRecord(manifest)) return [];
    return ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((field) =>
      Object.keys(Object(manifest[field])),
    );
  } catch {
    return [];
  }
}

function installed(nodeModules: string): readonly string[] {
  return list(nodeModules).flatMap((name) =>
    name.startsWith('@') ? list(join(nodeModules, name)).map((one) => `${name}/${one}`) : [name],
  );
}

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
