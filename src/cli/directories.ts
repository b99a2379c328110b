import { dirname } from 'node:path';
import type { PluginStatus } from '../index.js';
import type { CliPowers } from './powers.js';

/** The directories that were named and hold no plugin, nor a directory of plugins. */
export async function findEmpty(
  directories: readonly string[],
  plugins: readonly PluginStatus[],
  { realPath }: Pick<CliPowers, 'realPath'>,
): Promise<string[]> {
  const found = await Promise.all(plugins.map(({ directory }) => realPath(directory)));
  const empty: string[] = [];
  for (const directory of directories.filter((path) => !path.includes('*'))) {
    const real = await realPath(directory);
    if (!found.some((path) => path === real || dirname(path) === real)) empty.push(directory);
  }
  return empty;
}
