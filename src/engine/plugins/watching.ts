import { relative, sep } from 'node:path';
import type { WatchDirectories } from '../node/watcher.js';

export interface WatchingSpec {
  /** The host's options for the directories of plugins. */
  readonly paths: readonly string[];
  readonly watch: WatchDirectories;
  readonly reload: () => Promise<void>;
  readonly onFailed: (error: unknown) => void;
  /** Milliseconds from the last change to the reload. Default: 50. */
  readonly settleMs?: number;
}

export interface Watching {
  /** Starts to watch. When the promise resolves, every later change is noticed. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds from the last change to the reload. Editors write a file in several steps. */
const SETTLE_MS = 50;

/** Reloads the plugins when something below their directories has changed. */
export function watchPlugins({
  paths,
  watch,
  reload,
  onFailed,
  settleMs = SETTLE_MS,
}: WatchingSpec): Watching {
  const roots = [...new Set(paths.map(rootOf))];
  let timer: NodeJS.Timeout | undefined;
  let watcher: ReturnType<WatchDirectories> | undefined;
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void reload().catch(onFailed), settleMs);
    timer.unref();
  };
  return {
    start: () => {
      watcher ??= watch(roots, (path) => isIgnored(path, roots), later);
      return watcher.ready;
    },
    close: async () => {
      clearTimeout(timer);
      await watcher?.close();
    },
  };
}

/** The directory in which a pattern starts. */
function rootOf(path: string): string {
  const parts = path.split(/[/\\]/);
  const star = parts.findIndex((part) => part.includes('*'));
  return star < 0 ? path : parts.slice(0, star).join(sep) || '.';
}

/**
 * Paths whose changes do not change the plugin: packages (its bundle includes only what its own
 * files import), data, and hidden files except the file that disables a plugin.
 */
export function isIgnored(path: string, roots: readonly string[]): boolean {
  const root = roots.filter((one) => isBelow(path, one)).toSorted((a, b) => b.length - a.length)[0];
  if (root === undefined) return false;
  return relative(root, path)
    .split(/[/\\]/)
    .some(
      (part) =>
        IGNORED.has(part) || (part.startsWith('.') && part !== '.disabled' && part !== '..'),
    );
}

const IGNORED: ReadonlySet<string> = new Set(['node_modules', 'data']);

function isBelow(path: string, root: string): boolean {
  const inside = relative(root, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`);
}
