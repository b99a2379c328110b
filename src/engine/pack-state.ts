import { makeEventBus } from '../events.js';
import { hasManifest, readPlugin } from '../formats/discover.js';
import { diskReader } from './node/disk-reader.js';
import { readPackIn } from './node/lock-files.js';
import { buildCurrent, isSameSource, readPack } from './plugins/find-plugins.js';
import { openEngineRuntime } from './runtime.js';
import { readSettings } from './settings.js';
import type { EngineOptions } from './types/options.js';

/** A pack beside its sources. `stale`: the sources changed after `bulkhead pack`. */
export type PackState = 'none' | 'current' | 'stale';

/** Compares the pack in a plugin's directory with the sources beside it: see `Lockfile.packState`. */
export async function packStateOf(directory: string, options: EngineOptions): Promise<PackState> {
  const real = (await diskReader.realpath(directory)) ?? directory;
  const { pack } = readPack({ readPack: readPackIn }, real) ?? {};
  if (pack === undefined || !(await hasManifest(diskReader, real))) return 'none';
  const runtime = await openEngineRuntime(
    readSettings({ ...options, plugins: [] }),
    makeEventBus(Date.now),
  );
  try {
    const { plugin } = await readPlugin(diskReader, real);
    const keys = Object.keys(pack.artifact.bundles);
    const current = await buildCurrent(plugin, keys, runtime.build);
    return isSameSource(pack.artifact, current) ? 'current' : 'stale';
  } finally {
    await runtime.close();
  }
}
