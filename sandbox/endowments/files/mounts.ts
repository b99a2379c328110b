import type { GuestGrant, GuestMount } from '../../wire/methods.js';
import { type StorageArea, storageDirectoryOf } from '../../wire/storage.js';

/** The targets of a path: the plugin's storage, readable files, both or neither. */
export interface Place {
  /** Absolute and normal, as the plugin writes it. */
  readonly path: string;
  /** The target of writes. Reads look here first. */
  readonly stored: StoredPlace | undefined;
  /** The mount that has the path. Then no storage has it. */
  readonly mount: GuestMount | undefined;
  /** The path in the filesystem permission: relative to the plugin's directory, or absolute. */
  readonly hostPath: string;
  /**
   * Whether it only leads to directories that the code sees, as `/` does: programs look for their settings in all
   * directories above their own. It is a directory, and nothing else is known of it.
   */
  readonly isAbove: boolean;
}

export interface StoredPlace {
  readonly area: StorageArea;
  /** Relative to the area. */
  readonly path: string;
  /** Whether it is a directory that exists even if it is empty. */
  readonly isTop: boolean;
}

/** The apparent directory of the plugin's own files. */
export const PLUGIN_DIRECTORY = '/plugin';

/**
 * The directories that plugin code sees, independent of the host's disk: its own files, its data,
 * and directories in which any program may write. All other paths are the host's.
 */
export function makeMounts(
  plugin: string,
  granted: () => readonly GuestMount[],
): (path: string) => Place {
  const data = storageDirectoryOf(plugin);
  const home = data.slice(0, -'/data'.length);
  // The first match counts, so longer paths come first.
  const mounts: readonly (readonly [prefix: string, area: StorageArea, below: string])[] = [
    [data, 'data', ''],
    [`${PLUGIN_DIRECTORY}/data`, 'data', ''],
    [`/workspace/plugins-data${home.slice('/workspace/plugins'.length)}`, 'data', ''],
    [home, 'work', 'plugin'],
    [PLUGIN_DIRECTORY, 'work', 'plugin'],
    ['/workspace', 'work', 'workspace'],
    ['/tmp', 'work', 'tmp'],
    ['/home/plugin', 'work', 'home'],
  ];
  return (path) => {
    const own = mounts.find(([prefix]) => liesWithin(prefix, path));
    const mount = deepest(granted(), path);
    // Of a mount and a directory of the storage, the one with the longer path has it.
    const isMounted = mount !== undefined && mount.at.length >= (own?.[0].length ?? 0);
    return {
      path,
      mount: isMounted ? mount : undefined,
      stored:
        own === undefined || isMounted
          ? undefined
          : {
              area: own[1],
              path: joined(own[2], path.slice(own[0].length)),
              isTop: path === own[0],
            },
      isAbove:
        !isMounted &&
        // A mount may be in a directory of the storage.
        [
          ...(own === undefined ? mounts : []).map(([prefix]) => prefix),
          ...granted().map(placeOfMount),
        ].some((prefix) => prefix.startsWith(path === '/' ? path : `${path}/`)),
      hostPath: isMounted ? path : hostPathOf(path, [home, PLUGIN_DIRECTORY]),
    };
  };
}

const placeOfMount = (mount: GuestMount): string => mount.at;

function deepest(mounts: readonly GuestMount[], path: string): GuestMount | undefined {
  return mounts
    .filter(({ at }) => at === '/' || liesWithin(at, path))
    .reduce<GuestMount | undefined>(
      (best, mount) => (best === undefined || mount.at.length > best.at.length ? mount : best),
      undefined,
    );
}

function hostPathOf(path: string, homes: readonly string[]): string {
  const home = homes.find((prefix) => liesWithin(prefix, path));
  return home === undefined ? path : joined('', path.slice(home.length)) || '.';
}

function liesWithin(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function joined(above: string, below: string): string {
  return [above, below.replace(/^\/+/, '')].filter((part) => part !== '').join('/');
}

type Grant = Pick<GuestGrant, 'fs' | 'storage'>;

/**
 * Whether a request for the path makes sense. Without the fs permission the host still answers for
 * the plugin's own directory: a file that exists is denied, another one is missing.
 */
export function mayAskHost({ hostPath, mount, stored }: Place, { fs, storage }: Grant): boolean {
  if (mount !== undefined) return true;
  if (stored?.area === 'data' && !storage && fs === undefined) return false;
  if (!hostPath.startsWith('/')) return true;
  return fs !== undefined && stored === undefined;
}

/** Whether a change of the path is a request to the host's filesystem broker. */
export function writesToHost({ mount, stored }: Place, { fs, storage }: Grant): boolean {
  if (mount !== undefined) return true;
  return fs !== undefined && (stored === undefined || !storage) && stored?.area !== 'data';
}
