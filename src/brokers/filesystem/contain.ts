import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

import type { Refusals } from './refusals.js';

// Given away by the class to this file alone.
let makeChecked: (
  asked: string,
  real: string,
  realRoots: readonly string[],
  named: boolean,
) => CheckedPath;

/**
 * A path that was found to lie in what is granted, by its text and again by where its links lead.
 * Only `contain` makes one, and what opens files takes nothing else, so that an unchecked open
 * does not compile. It proves something about a moment: `openChecked` holds the file that it gets
 * against `admits`.
 */
export class CheckedPath {
  /** As the plugin wrote it. */
  readonly asked: string;
  /** Without links, when it was checked. */
  readonly real: string;
  readonly #realRoots: readonly string[];
  readonly #named: boolean;

  private constructor(asked: string, real: string, realRoots: readonly string[], named: boolean) {
    this.asked = asked;
    this.real = real;
    this.#realRoots = realRoots;
    this.#named = named;
  }

  static {
    makeChecked = (...proof) => new CheckedPath(...proof);
  }

  /** Whether the file at this real path may be read in the name of the checked one. */
  admits(real: string): boolean {
    if (isSpecial(real)) return this.#named && real === this.real;
    return this.#realRoots.some((root) => isWithin(root, real));
  }
}

/** A granted prefix. */
export interface Root {
  /** Absolute, as text: its links are followed anew for every read. */
  readonly path: string;
  /**
   * The plugin's directory, where the prefix lies in it. The plugin's author fills that directory,
   * so a prefix that is a link out of it grants nothing. Links elsewhere are the operator's own.
   */
  readonly anchor: string | undefined;
}

export function makeRoot(prefix: string, directory: string): Root {
  const path = resolve(directory, prefix);
  return { path, anchor: isWithin(directory, path) ? directory : undefined };
}

/**
 * Checks `asked`, relative to `directory`, against the roots. Throws a refusal. What lies outside
 * of them by its text is not looked at, so that nobody learns whether it exists.
 */
export async function contain(
  asked: string,
  directory: string,
  roots: readonly Root[],
  refusals: Refusals,
): Promise<CheckedPath> {
  const path = resolve(directory, asked);
  const root = roots.find((candidate) => isWithin(candidate.path, path));
  if (root === undefined) throw refusals.notGranted(asked);
  const real = await realpath(path).catch(async (error: unknown) => {
    // The end of a link is told in one way, whatever is there.
    throw (await hasLink(root, path))
      ? refusals.leadsOut(asked, error)
      : refusals.failed(asked, reasonOf(error), error);
  });
  const realRoots = (await Promise.all(roots.map(realRootOf))).flat();
  const named = roots.some((candidate) => candidate.path === path);
  if (!realRoots.some((realRoot) => isWithin(realRoot, real))) {
    throw refusals.leadsOut(asked, `it leads to ${real}`);
  }
  const checked = makeChecked(asked, real, realRoots, named);
  if (!checked.admits(real)) throw refusals.special(asked);
  return checked;
}

/** Where a root leads now: nowhere if it does not exist, or leaves the directory it belongs to. */
async function realRootOf({ path, anchor }: Root): Promise<readonly string[]> {
  try {
    const real = await realpath(path);
    return anchor === undefined || isWithin(await realpath(anchor), real) ? [real] : [];
  } catch {
    return [];
  }
}

/** Whether a link lies on the way to `path`, below what the operator alone can change. */
async function hasLink(root: Root, path: string): Promise<boolean> {
  let at = root.anchor ?? root.path;
  for (const segment of relative(at, path).split(sep)) {
    at = join(at, segment);
    const stats = await lstat(at).catch(() => undefined);
    if (stats === undefined) return false;
    if (stats.isSymbolicLink()) return true;
  }
  return false;
}

/** By whole segments: `/data` holds `/data/x`, and not `/data-secrets`. */
function isWithin(root: string, path: string): boolean {
  const rest = relative(root, path);
  return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
}

/**
 * What the kernel shows as files. Behind `/proc` lie the host's own variables and memory, behind
 * `/dev` its disks, and reading some of them does something. Whoever grants `/` means files.
 */
function isSpecial(real: string): boolean {
  return ['/proc', '/sys', '/dev'].some((tree) => isWithin(tree, real));
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EACCES' || code === 'EPERM') return 'the host itself may not read it';
  return 'there is no such file';
}
