import { watch } from 'chokidar';

/** Tells of changes below directories that nobody trusts, and of nothing that is in them. */
export type WatchDirectories = (
  roots: readonly string[],
  isIgnored: (path: string) => boolean,
  onChange: () => void,
) => { readonly ready: Promise<void>; readonly close: () => Promise<void> };

/** Levels below a root that are looked at. Stops a tree that a plugin makes without end. */
const MAX_LEVELS = 8;

/** Watches by what the operating system tells. It keeps no process alive. */
export const watchDirectories: WatchDirectories = (roots, isIgnored, onChange) => {
  const watcher = watch([...roots], {
    ignored: isIgnored,
    ignoreInitial: true,
    persistent: false,
    // A link may lead anywhere; what it leads to is no part of the plugin.
    followSymlinks: false,
    depth: MAX_LEVELS,
  });
  watcher.on('all', onChange);
  // A directory that cannot be watched is read again with the next that can.
  watcher.on('error', () => {});
  return {
    ready: new Promise((resolve) => {
      watcher.once('ready', () => resolve());
    }),
    close: () => watcher.close(),
  };
};
