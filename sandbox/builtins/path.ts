import { offer } from './denied.js';

/** `node:path`, as on POSIX; a plugin's paths have no drives and one kind of separator. */
export interface ParsedPath {
  root: string;
  dir: string;
  base: string;
  ext: string;
  name: string;
}

/** Where relative paths begin: where the plugin's files seem to lie. */
export const WORKING_DIRECTORY = '/plugin';

export function normalize(path: string): string {
  if (path === '') return '.';
  const absolute = path.startsWith('/');
  const parts = reduceParts(path, !absolute).join('/');
  const trailing = path.endsWith('/') && parts !== '' ? '/' : '';
  if (absolute) return `/${parts}${trailing}`;
  return parts === '' ? `.${path.endsWith('/') ? '/' : ''}` : parts + trailing;
}

export function join(...paths: string[]): string {
  return normalize(paths.filter((path) => path !== '').join('/'));
}

export function resolve(...paths: string[]): string {
  let resolved = '';
  for (let index = paths.length - 1; index >= 0 && !resolved.startsWith('/'); index -= 1) {
    const path = paths[index];
    if (path !== undefined && path !== '')
      resolved = resolved === '' ? path : `${path}/${resolved}`;
  }
  if (!resolved.startsWith('/')) {
    resolved = resolved === '' ? WORKING_DIRECTORY : `${WORKING_DIRECTORY}/${resolved}`;
  }
  return `/${reduceParts(resolved, false).join('/')}`;
}

export function relative(from: string, to: string): string {
  const start = resolve(from).split('/').filter(Boolean);
  const end = resolve(to).split('/').filter(Boolean);
  let common = 0;
  while (common < start.length && common < end.length && start[common] === end[common]) common += 1;
  return [...start.slice(common).map(() => '..'), ...end.slice(common)].join('/');
}

export function isAbsolute(path: string): boolean {
  return path.startsWith('/');
}

export function dirname(path: string): string {
  const slash = lastSlash(path);
  if (slash < 0) return '.';
  if (slash === 0) return '/';
  return slash === 1 && path.startsWith('/') ? '//' : path.slice(0, slash);
}

export function basename(path: string, suffix = ''): string {
  const base = path.replace(/\/+$/, '').replace(/^.*\//s, '');
  return suffix !== '' && base !== suffix && base.endsWith(suffix)
    ? base.slice(0, -suffix.length)
    : base;
}

export function extname(path: string): string {
  const base = basename(path);
  const dot = base.lastIndexOf('.');
  // ".profile" and ".." are names without an extension.
  return dot <= 0 || base === '..' ? '' : base.slice(dot);
}

export function parse(path: string): ParsedPath {
  const root = path.startsWith('/') ? '/' : '';
  const base = basename(path);
  const ext = extname(path);
  const slash = lastSlash(path);
  const dir = slash < 0 ? '' : slash === 0 ? '/' : path.slice(0, slash);
  return { root, dir, base, ext, name: ext === '' ? base : base.slice(0, -ext.length) };
}

export function format(parts: Partial<ParsedPath>): string {
  const dir = parts.dir ?? parts.root ?? '';
  const base = parts.base ?? `${parts.name ?? ''}${parts.ext ?? ''}`;
  if (dir === '') return base;
  return dir === parts.root ? `${dir}${base}` : `${dir}/${base}`;
}

/** Where the last part begins, less one: slashes at the end do not count. */
function lastSlash(path: string): number {
  return path.replace(/(?<=.)\/+$/, '').lastIndexOf('/');
}

function reduceParts(path: string, keepParents: boolean): string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (keepParents) parts.push('..');
  }
  return parts;
}

const posix = {
  sep: '/',
  delimiter: ':',
  normalize,
  join,
  resolve,
  relative,
  isAbsolute,
  dirname,
  basename,
  extname,
  parse,
  format,
  toNamespacedPath: (path: string): string => path,
};

export const builtin: object = offer('path', {
  ...posix,
  posix,
  win32: offer('path.win32', { sep: '\\', delimiter: ';' }),
});
Object.assign(posix, { posix: builtin });
