import { isObject } from './package.js';

/**
 * Looks a subpath (`.`, `./a/b`) up in a package's `exports`, or a `#name` in its `imports`.
 * Answers the target as written, `undefined` where the map does not offer it.
 */
export function lookUpExport(
  map: unknown,
  subpath: string,
  conditions: ReadonlySet<string>,
): string | undefined {
  const entries = toEntries(map, subpath);
  const exact = entries.get(subpath);
  if (exact !== undefined && !subpath.includes('*') && !subpath.endsWith('/')) {
    return chooseTarget(exact, '', conditions);
  }
  let best: { readonly key: string; readonly match: string } | undefined;
  for (const key of entries.keys()) {
    const match = matchPattern(key, subpath);
    if (match !== undefined && (best === undefined || isMoreSpecific(key, best.key))) {
      best = { key, match };
    }
  }
  return best === undefined
    ? undefined
    : chooseTarget(entries.get(best.key), best.match, conditions);
}

/** `exports` may be the target of `.` alone, or one set of conditions for it. */
function toEntries(map: unknown, subpath: string): Map<string, unknown> {
  if (isObject(map)) {
    const keys = Object.keys(map);
    const isMap = keys.some((key) => key.startsWith('.') || key.startsWith('#'));
    if (isMap) return new Map(Object.entries(map));
  }
  return subpath === '.' && map !== undefined ? new Map([['.', map]]) : new Map();
}

function chooseTarget(
  target: unknown,
  match: string,
  conditions: ReadonlySet<string>,
): string | undefined {
  if (typeof target === 'string') {
    return target.endsWith('/') ? target + match : target.replaceAll('*', () => match);
  }
  if (Array.isArray(target)) {
    const chosen = target.map((option) => chooseTarget(option, match, conditions));
    // Alternatives are for those who do not understand the first: the first path is ours.
    return chosen.find((option) => option?.startsWith('./')) ?? chosen.find(Boolean);
  }
  if (!isObject(target)) return undefined;
  for (const [condition, option] of Object.entries(target)) {
    if (condition !== 'default' && !conditions.has(condition)) continue;
    const chosen = chooseTarget(option, match, conditions);
    if (chosen !== undefined || option === null) return chosen;
  }
  return undefined;
}

/** What stands for the `*`; a key that ends in `/` is the old way to write a trailing `*`. */
function matchPattern(key: string, subpath: string): string | undefined {
  const star = key.endsWith('/') ? key.length : key.indexOf('*');
  if (star < 0) return undefined;
  const before = key.slice(0, star);
  const after = key.slice(star + 1);
  if (
    !subpath.startsWith(before) ||
    !subpath.endsWith(after) ||
    subpath.length < before.length + after.length
  ) {
    return undefined;
  }
  return subpath.slice(before.length, subpath.length - after.length);
}

function isMoreSpecific(key: string, than: string): boolean {
  const base = (pattern: string): number => {
    const star = pattern.indexOf('*');
    return star < 0 ? pattern.length : star + 1;
  };
  return base(key) > base(than) || (base(key) === base(than) && key.length > than.length);
}
