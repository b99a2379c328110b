import { type EngineOptions, suggestPermissions } from '../../src/index.js';
import { packagesAmong } from '../../src/suggest/package-grants.js';

/**
 * The engine's option `packages` for a plugin whose npm packages run in compartments of their own: each
 * package gets what its code is seen to use, as `inspect --suggest --packages` proposes.
 */
export async function separatePackages(
  directory: string,
): Promise<NonNullable<EngineOptions['packages']>> {
  const packages = packagesAmong(await suggestPermissions(directory));
  return { '*': { grant: Object.fromEntries(packages.map(({ path, grant }) => [path, grant])) } };
}
