import { type StorageArea, storageDirectoryOf } from '../../wire/storage.js';

/** Where a path of the plugin's world leads: to its storage, to files it may read, to both or none. */
export interface Place {
  /** Absolute and normal, as the plugin would write it. */
  readonly path: string;
  /** What is written there, and read from there first. */
  readonly kept: Kept | undefined;
  /** The path by which the filesystem permission names it: relative to the plugin's directory, or absolute. */
  readonly lent: string;
}

export interface Kept {
  readonly area: StorageArea;
  /** Relative to the area. */
  readonly path: string;
  /** Whether it is a directory that is always there, also while nothing is in it. */
  readonly isTop: boolean;
}

/** Where the plugin's own files seem to lie. */
export const PLUGIN_DIRECTORY = '/plugin';

/**
 * The world as plugin code sees it, whatever the host's disk looks like: its own files, its data
 * beside them, and places where any program may write. Everything else is the host's.
 */
export function makeMounts(plugin: string): (path: string) => Place {
  const data = storageDirectoryOf(plugin);
  const home = data.slice(0, -'/data'.length);
  // The first that a path lies in counts, so the longer come before.
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
    const mount = mounts.find(([prefix]) => liesWithin(prefix, path));
    return {
      path,
      kept: mount && {
        area: mount[1],
        path: joined(mount[2], path.slice(mount[0].length)),
        isTop: path === mount[0],
      },
      lent: lentPath(path, [home, PLUGIN_DIRECTORY]),
    };
  };
}

function lentPath(path: string, homes: readonly string[]): string {
  const home = homes.find((prefix) => liesWithin(prefix, path));
  return home === undefined ? path : joined('', path.slice(home.length)) || '.';
}

function liesWithin(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function joined(above: string, below: string): string {
  return [above, below.replace(/^\/+/, '')].filter((part) => part !== '').join('/');
}
