import { dirname, join, sep } from 'node:path';
import { isRecord } from '../../../sandbox/wire/json.js';
import { BulkheadError } from '../../errors.js';
import { inspectPath } from './evidence.js';
import { readRegularFile } from './regular-file.js';

/*
 * npm installs a plugin's dependencies beside it: `…/node_modules/{plugin,dependency}`. Only the
 * packages that the plugin's package.json names, and those that these name, count as the plugin's.
 */

/** The `node_modules` in which a plugin is installed. `root`: the plugin's directory, a real path. */
export function installedIn(root: string): string | undefined {
  const [, folder] =
    /^(.*\/node_modules)\/(?:@[^/]+\/)?[^/]+\/?$/.exec(root.split(sep).join('/')) ?? [];
  return folder;
}

/** A path of a plugin, on disk. Hoisted packages are in its `node_modules` only by name. */
export function absoluteOf(root: string, hoisted: readonly string[], path: string): string {
  const [, name = '', rest = ''] = PACKAGE_PATH.exec(path) ?? [];
  const folder = name !== '' && hoisted.includes(name) ? installedIn(root) : undefined;
  return folder === undefined ? join(root, path) : join(folder, name, rest);
}

const PACKAGE_PATH = /^node_modules\/((?:@[^/]+\/)?[^/]+)(\/.*)?$/;

/** The folders that contain hoisted packages; the plugin may lack them. */
export function foldersOf(hoisted: readonly string[]): ReadonlySet<string> {
  return new Set(hoisted.flatMap((name) => ['node_modules', dirname(`node_modules/${name}`)]));
}

/** Above it, the walls of a bundler would have too many places. */
const MAX_HOISTED = 300;
const MAX_PACKAGES = 2_000;
const MAX_PACKAGE_BYTES = 1024 ** 2;

/**
 * The names of the packages beside an installed plugin that it depends on, directly or not, sorted.
 * Links do not count, so a package of a workspace is never one. Nor does a package marked `private`: it is
 * not from a registry, and may be the host's own code. Throws `BUNDLE_FAILED` at a cap.
 */
export function findHoisted(root: string): readonly string[] {
  const folder = installedIn(root);
  if (folder === undefined) return [];
  const hoisted: string[] = [];
  const seen = new Set(['']);
  const open = [''];
  const visit = (directory: string): void => {
    if (seen.has(directory)) return;
    seen.add(directory);
    open.push(directory);
  };
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const name of dependenciesOf(absoluteOf(root, hoisted, at))) {
      const own = ownPlaces(at, name).find(
        (place) => inspectPath(absoluteOf(root, hoisted, place)) !== 'absent',
      );
      if (own !== undefined) {
        visit(own);
        continue;
      }
      // guard: hoisted-is-a-real-package
      if (!isRealPackage(folder, name) || join(folder, name) === root) continue;
      // guard: hoisted-is-not-private
      if (isPrivate(join(folder, name))) continue;
      hoisted.push(name);
      visit(`node_modules/${name}`);
      if (hoisted.length > MAX_HOISTED || seen.size > MAX_PACKAGES) throw tooMany();
    }
  }
  return hoisted.toSorted();
}

/** Where Node looks for a package from a directory of the plugin, nearest first. */
function ownPlaces(directory: string, name: string): readonly string[] {
  const above = directory.split('/').filter((part) => part !== '');
  return [...above.keys(), above.length]
    .toReversed()
    .map((depth) => above.slice(0, depth))
    .filter((parts) => parts.at(-1) !== 'node_modules')
    .map((parts) => [...parts, 'node_modules', name].join('/'));
}

function isRealPackage(folder: string, name: string): boolean {
  const inScope = dirname(name) === '.' || inspectPath(join(folder, dirname(name))) === 'directory';
  return inScope && inspectPath(join(folder, name)) === 'directory';
}

/** Names of packages only: no path leads elsewhere. */
const PACKAGE_NAME = /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/;

/** The fields of a package.json. Untrusted: one that cannot be read has none. */
function fieldsOf(directory: string): Readonly<Record<string, unknown>> {
  try {
    const file = join(directory, 'package.json');
    const { content } = readRegularFile(file, 'package.json', MAX_PACKAGE_BYTES);
    const fields: unknown = JSON.parse(content.toString('utf8').replace(/^\uFEFF/, ''));
    return isRecord(fields) ? fields : {};
  } catch {
    return {};
  }
}

/** Whether npm would refuse to publish the package. */
function isPrivate(directory: string): boolean {
  const { private: mark = false } = fieldsOf(directory);
  return mark !== false;
}

/** What a package.json depends on. */
function dependenciesOf(directory: string): readonly string[] {
  const { dependencies, optionalDependencies, peerDependencies } = fieldsOf(directory);
  const names = [dependencies, optionalDependencies, peerDependencies].flatMap((some) =>
    isRecord(some) ? Object.keys(some) : [],
  );
  // guard: hoisted-name
  return names.filter((name) => PACKAGE_NAME.test(name));
}

function tooMany(): BulkheadError<'BUNDLE_FAILED'> {
  const message = `The plugin depends on more than ${MAX_HOISTED} packages beside it.`;
  const remedy = 'Publish the plugin with its pack (bulkhead pack), and accept that.';
  return new BulkheadError('BUNDLE_FAILED', message, { problems: [{ message, remedy }] });
}
