import { basename } from 'node:path';
import type { Edition } from '../../plugin/plugin.js';

/** Plugins' names are parts of paths in Vellum: nothing else is one. */
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * What a plugin is called: its package's name without the scope, or, in the current edition, its
 * directory's name, where that can be one. `undefined` where neither is a name.
 */
export function identityOf(
  packageName: string,
  root: string,
  edition: Edition,
): string | undefined {
  const unscoped = packageName.replace(/^@[^/]*\//, '');
  const names = edition === 'current' ? [basename(root), unscoped] : [unscoped];
  return names.find((name) => NAME.test(name) && name.length <= 200);
}
