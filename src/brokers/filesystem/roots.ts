import { isAbsolute, relative, resolve, sep } from 'node:path';
import { parseScope } from '../../permissions/filesystem.js';

/** A granted path: read, or read and written. */
export interface Root {
  /** Absolute, as text. Its links are resolved for every operation. */
  readonly path: string;
  /**
   * The plugin's directory, if it contains the path. The plugin's author writes that directory, so a
   * path that links out of it grants nothing. The operator controls links elsewhere.
   */
  readonly anchor: string | undefined;
  /** The path at which the plugin sees it; `undefined` in the plugin's own directory. */
  readonly at: string | undefined;
  readonly isWritable: boolean;
  /** Hidden files are not readable: the files of the plugin's directory are pinned, without these. */
  readonly isPinned: boolean;
}

/** Reads one granted scope. */
export function makeRoot(granted: string, directory: string, isPinned = false): Root {
  const { path: written, at = written, isWritable } = parseScope(granted);
  const path = resolve(directory, written);
  const isOwn = isWithin(directory, path);
  return {
    path,
    anchor: isOwn ? directory : undefined,
    at: isAbsolute(written) ? at : undefined,
    isWritable,
    isPinned: isOwn && isPinned,
  };
}

/**
 * The host's path of a path that the plugin wrote: below the mount with the longest guest path, or in
 * the plugin's directory. `undefined` if no mount has it.
 */
export function hostPathOf(
  requested: string,
  directory: string,
  roots: readonly Root[],
): string | undefined {
  if (!isAbsolute(requested)) return resolve(directory, requested);
  const path = resolve('/', requested);
  let best: { readonly at: string; readonly path: string } | undefined;
  for (const { at, path: target } of roots) {
    if (at === undefined || !isWithin(at, path)) continue;
    if (best === undefined || at.length > best.at.length) best = { at, path: target };
  }
  if (best !== undefined) return resolve(best.path, relative(best.at, path));
  return isWithin(directory, path) ? path : undefined;
}

/** Compares whole segments: `/data` contains `/data/x` and not `/data-secrets`. */
export function isWithin(root: string, path: string): boolean {
  const rest = relative(root, path);
  // guard: path-prefix-whole-segment
  return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
}
