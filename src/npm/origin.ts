import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { isRecord } from '../../sandbox/wire/json.js';
import type { GitSpec } from './spec.js';

/** Where a version comes from. */
export interface PackageOrigin {
  /** The account that published it; `undefined` if the registry does not say. */
  readonly publisher: string | undefined;
  /** `none`: it has no attestation. `unknown`: npm could not verify the one that it has. */
  readonly provenance: 'verified' | 'unknown' | 'none';
}

/** The manifest of a package, and of each directory of the store. */
export const MANIFEST = 'package.json';

/** What the manifest of a stored package says about its origin. Nothing for a directory outside of the store. */
export function readManifest(store: string, path: string): Readonly<Record<string, unknown>> {
  const place = placeIn(store, path);
  const file = place === undefined ? undefined : join(place, MANIFEST);
  if (place === undefined || file === undefined || !existsSync(file)) return {};
  const fields: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const bulkhead = isRecord(fields) ? fields['bulkhead'] : undefined;
  if (!isRecord(bulkhead)) return {};
  const own = [place, packageIn(place, String(bulkhead['server']))];
  // guard: stored-dependency-has-no-origin
  return own.includes(realpathSync(path)) ? bulkhead : {};
}

export function readCommit({
  server,
  commit,
}: Readonly<Record<string, unknown>>): (GitSpec & { readonly name: string }) | undefined {
  if (typeof server !== 'string' || typeof commit !== 'string') return undefined;
  const [url = '', id = ''] = commit.split('#');
  return { name: server, url, commit: id };
}

export function readOrigin({
  server,
  publisher,
  provenance,
  commit,
}: Readonly<Record<string, unknown>>): (PackageOrigin & { readonly name: string }) | undefined {
  // A commit never has a newer version.
  if (typeof server !== 'string' || commit !== undefined) return undefined;
  return {
    name: server,
    publisher: typeof publisher === 'string' ? publisher : undefined,
    provenance: provenance === 'verified' || provenance === 'unknown' ? provenance : 'none',
  };
}

/** Where a directory of the store has its package. */
export function packageIn(place: string, name: string): string {
  return join(place, 'node_modules', name);
}

/** The directory of the store that a path is or is in, as a real path; `undefined` for any other path. */
export function placeIn(store: string, path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const real = realPathOf(store);
  const inside = relative(real, realpathSync(path));
  const [first = ''] = inside.split(sep);
  return first === '' || first === '..' || isAbsolute(inside) ? undefined : join(real, first);
}

export function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
