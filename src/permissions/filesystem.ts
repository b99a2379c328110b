import { type PermissionKind, invalidPermission } from './kind.js';
import { protectedName } from './protected-names.js';

/** Access below one path. */
export interface PathScope {
  /** Absolute, or relative to the plugin's directory. */
  readonly path: string;
  /** Where the plugin sees an absolute path. Absent: at the same path. */
  readonly at?: string;
  /** Whether the plugin may also write. Only below absolute paths. */
  readonly isWritable: boolean;
}

/**
 * Access below one path, written `path`, `path:rw`, `path:/guest/path` or `path:/guest/path:rw`. The
 * path is a prefix of whole segments: `data` covers `data/a.txt`, not `data-secrets`. An absolute and a
 * relative path never cover each other, because only the broker knows the plugin's directory.
 *
 * A writable path does not cover the protected names below it (`.git`, …): each is a grant of its own.
 */
export const filesystem: PermissionKind<PathScope> = {
  name: 'fs',
  parse: parseScope,
  format: ({ path, at, isWritable }) =>
    `${path}${at === undefined ? '' : `:${at}`}${isWritable ? ':rw' : ''}`,
  covers,
  attenuate: (held, limit) => {
    const [deep, high] = containsPath(held.path, limit.path)
      ? [limit, held]
      : containsPath(limit.path, held.path)
        ? [held, limit]
        : [];
    if (deep === undefined || high === undefined) return undefined;
    const isWritable = held.isWritable && limit.isWritable && reaches(high.path, deep.path);
    const at = deep.at ?? placeBelow(high, deep.path);
    return { path: deep.path, ...(at === undefined ? {} : { at }), isWritable };
  },
  explain: ({ path, at, isWritable }) => {
    const seen = at === undefined ? '' : `, as ${at}`;
    if (isWritable) {
      const except =
        protectedName(path.split('/')) === undefined
          ? ', except names that other programs execute or trust (.git, .vscode, …)'
          : '';
      return `Read and write ${path} and everything below it${seen}${except}.`;
    }
    if (path === '/') return 'Read every file on this machine that the host itself can read.';
    if (path === '.') return "Read the files in the plugin's own directory.";
    return path.startsWith('/')
      ? `Read ${path} and everything below it${seen}.`
      : `Read ${path} and everything below it, in the plugin's own directory.`;
  },
};

/** Parses a scope. Throws `INVALID_PERMISSION`. */
export function parseScope(text: string): PathScope {
  const [, path = text, at, mode] =
    /^(?<path>.*?)(?::(?<at>\/[^:]*))?(?::(?<mode>rw|ro))?$/su.exec(text) ?? [];
  const refuse = (why: string): never => {
    throw invalidPermission('fs', text, why);
  };
  const why = whyInvalid(path) ?? (at === undefined ? undefined : whyInvalid(at));
  if (why !== undefined) refuse(why);
  const scope = { path: normalise(path), isWritable: mode === 'rw' };
  if (scope.path.startsWith('/')) {
    return at === undefined ? scope : { ...scope, at: normalise(at) };
  }
  if (at !== undefined) refuse('only an absolute path can have a path in the guest. Remove it.');
  if (scope.isWritable) {
    refuse(
      "the plugin's own directory is not writable. Use the storage permission, or an absolute path.",
    );
  }
  return scope;
}

const MAX_PATH = 4096;

function normalise(text: string): string {
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (text.startsWith('/')) return `/${segments.join('/')}`;
  return segments.length === 0 ? '.' : segments.join('/');
}

function whyInvalid(text: string): string | undefined {
  if (text === '') return 'it is empty. Write "." for the plugin\'s own directory.';
  if (text.length > MAX_PATH)
    return `it is longer than ${MAX_PATH} characters. Write a shorter path.`;
  // eslint-disable-next-line no-control-regex -- the test for control characters
  if (/[\u0000-\u001f\u007f]/.test(text)) return 'it has a control character. Remove it.';
  if (text.includes('\\')) return 'write "/" between the segments of a path.';
  if (text.includes('*')) return 'a path covers everything below it. Remove the "*".';
  if (text.startsWith('~')) return '"~" is not expanded. Write the whole path.';
  if (text.split('/').includes('..')) return 'a path must not have "..". Write the target path.';
  return undefined;
}

function covers(held: PathScope, wanted: PathScope): boolean {
  if (!containsPath(held.path, wanted.path)) return false;
  if (!wanted.isWritable) return true;
  return held.isWritable && reaches(held.path, wanted.path);
}

/** Whether no protected name lies between a path and a path below it. */
function reaches(above: string, below: string): boolean {
  // guard: protected-name-granted-alone
  return protectedBelow(above, below) === undefined;
}

/** The protected name that a path below `above` adds to it. */
export function protectedBelow(above: string, below: string): string | undefined {
  const outer = segmentsOf(above);
  const inner = segmentsOf(below);
  return protectedName(outer) === undefined
    ? protectedName(inner)
    : protectedName(inner.slice(outer.length));
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

export function containsPath(prefix: string, path: string): boolean {
  if (prefix === path) return true;
  if (prefix === '.') return !path.startsWith('/');
  return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}

/** The guest's path of a path below a scope that has a guest path. */
function placeBelow({ path, at }: PathScope, below: string): string | undefined {
  if (at === undefined) return undefined;
  const rest = below.slice(path === '/' ? 0 : path.length);
  return at === '/' ? rest || '/' : `${at}${rest}`;
}
