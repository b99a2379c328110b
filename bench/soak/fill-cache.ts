import { join } from 'node:path';
import { makeBundleCache, makeBundler } from '../built.js';

/**
 * Stores the bundles of these plugins as an engine does, but one process bundles many plugins, without
 * walls. An engine starts a process with walls for each: half an hour for ten thousand plugins.
 */
export async function fillBundleCache(
  cacheDirectory: string,
  directories: readonly string[],
): Promise<void> {
  const processOf = new Map(directories.map((directory, n) => [directory, `${n % PROCESSES}`]));
  const { bundle } = makeBundleCache({
    directory: join(cacheDirectory, 'bundles'),
    bundler: makeBundler({
      processes: PROCESSES,
      identify: (directory) => processOf.get(directory) ?? directory,
    }),
  });
  for (let from = 0; from < directories.length; from += AT_ONCE) {
    await Promise.all(
      directories.slice(from, from + AT_ONCE).map((directory) =>
        bundle({
          directory,
          entry: { file: 'index.js' },
          virtualModules: [],
          builtins: 'powerless',
        }),
      ),
    );
  }
}

const PROCESSES = 2;
const AT_ONCE = 8;
