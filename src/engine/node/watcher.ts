import { stat } from 'node:fs/promises';

/** Reports changes below untrusted directories, without their contents. */
export type WatchDirectories = (
  roots: readonly string[],
  isIgnored: (path: string) => boolean,
  onChange: () => void,
) => { readonly ready: Promise<void>; readonly close: () => Promise<void> };

/** Watched levels below a root. Stops a plugin that creates an endless tree. */
const MAX_LEVELS = 8;

/** Milliseconds. The library drops a change of a file that comes within 50 ms after another. */
const SECOND_LOOK_MS = 60;

function mtimeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

/**
 * Watches with the operating system's notifications. A watcher does not prevent the process from
 * exiting.
 */
export const watchDirectories: WatchDirectories = (roots, isIgnored, onChange) => {
  // Loaded on first use, because few engines watch.
  const opened = import('chokidar').then(({ watch }) => {
    const watcher = watch([...roots], {
      ignored: isIgnored,
      ignoreInitial: true,
      persistent: false,
      // The target of a link does not belong to the plugin.
      followSymlinks: false,
      depth: MAX_LEVELS,
    });
    watcher.on('all', (_event, path, stats) => {
      onChange();
      const timer = setTimeout(() => {
        void mtimeOf(path).then((mtimeMs) => {
          if (mtimeMs !== undefined && mtimeMs !== stats?.mtimeMs) onChange();
        });
      }, SECOND_LOOK_MS);
      timer.unref();
    });
    // A directory that cannot be watched is read again with the next reload.
    watcher.on('error', () => {});
    const ready = new Promise<void>((resolve) => {
      watcher.once('ready', () => resolve());
    });
    return { watcher, ready };
  });
  return {
    ready: opened.then(({ ready }) => ready),
    close: async () => (await opened).watcher.close(),
  };
};
