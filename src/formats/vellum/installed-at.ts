import { isObject } from '../../schema/shape.js';
import { readOwnFile } from '../own-file.js';
import type { ReadPower } from '../format.js';
import { VELLUM_LIMITS } from './limits.js';

const META_FILE = 'install-meta.json';

/**
 * When a plugin was installed, in milliseconds since 1970: by what its installer noted, else by when
 * its directory was made; `undefined` where neither is known.
 */
export async function readInstalledAt(power: ReadPower, root: string): Promise<number | undefined> {
  const text = await readOwnFile(power, root, META_FILE, VELLUM_LIMITS.maxInstallMetaBytes).catch(
    () => undefined,
  );
  return (text === undefined ? undefined : parseMeta(text)) ?? power.birthtimeMs(root);
}

function parseMeta(text: string): number | undefined {
  try {
    const meta: unknown = JSON.parse(text);
    const at: unknown = isObject(meta) ? meta['installedAt'] : undefined;
    const atMs = typeof at === 'string' ? Date.parse(at) : at;
    return typeof atMs === 'number' && Number.isFinite(atMs) ? atMs : undefined;
  } catch {
    return undefined;
  }
}
