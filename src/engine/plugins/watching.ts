import { relative, sep } from 'node:path';
import type { WatchDirectories } from '../powers/watcher.js';

export interface WatchingSpec {
  /** Where plugins are looked for, as the host's options have it. */
  readonly paths: readonly string[];
  readonly watch: WatchDirectories;
  readonly reload: () => Promise<void>;
}

export interface Watching {
  /** Resolves when every later change is seen. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** From the last change to the reading: an editor writes a file in several steps. */
const SETTLE_MS = 50;

/** Reads the plugins again when something below their directories has changed. */
export function watchPlugins({ paths, watch, reload }: WatchingSpec): Watching {
  const roots = [...new Set(paths.map(rootOf))];
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void reload().catch(() => {}), SETTLE_MS);
    timer.unref();
  };
  const watcher = watch(roots, (path) => isIgnored(path, roots), later);
  return {
    ready: watcher.ready,
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}

/** The directory in which a pattern begins. */
function rootOf(path: string): string {
  const parts = path.split(/[/\\]/);
  const star = parts.findIndex((part) => part.includes('*'));
  return star < 0 ? path : parts.slice(0, star).join(sep) || '.';
}

/**
 * What changes without its plugin changing: packages (of which nothing is taken that its own files do
 * not name), data, and hidden files, but for the one that switches a plugin off.
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
