import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { containsPath, parseScope } from '../../permissions/filesystem.js';

/**
 * The caller's context with its `workingDir` as the plugin sees it: a path below a mount with a guest
 * path of its own becomes that path. Other paths stay; the plugin's system decides about them.
 */
export function withGuestPaths(context: JsonObject, scopes: readonly string[]): JsonObject {
  const { workingDir } = context;
  if (typeof workingDir !== 'string' || !scopes.some((scope) => scope.includes(':/'))) {
    return context;
  }
  const mounts = scopes.map(parseScope).filter(({ path }) => containsPath(path, workingDir));
  const deepest = mounts.toSorted((a, b) => b.path.length - a.path.length)[0];
  if (deepest?.at === undefined) return context;
  const rest = workingDir.slice(deepest.path === '/' ? 0 : deepest.path.length);
  return { ...context, workingDir: `${deepest.at === '/' ? '' : deepest.at}${rest}` || '/' };
}
