import { invalidPermission } from './invalid.js';
import type { PermissionKind } from './kind.js';

/**
 * Reading below one path: a prefix of whole segments, so that `data` covers `data/a.txt` and not
 * `data-secrets/a.txt`. Absolute, or relative to the plugin's directory, with `/` between segments;
 * on paper the two never cover each other, since only the broker knows where the plugin lies.
 */
export const filesystem: PermissionKind<string> = {
  name: 'filesystem',
  written: 'fs',
  parse: parsePrefix,
  format: (prefix) => prefix,
  covers: liesWithin,
  attenuate: (held, limit) => {
    if (liesWithin(held, limit)) return limit;
    return liesWithin(limit, held) ? held : undefined;
  },
  explain: (prefix) => {
    if (prefix === '/') return 'Read every file on this machine that the host itself can read.';
    if (prefix === '.') return "Read the files in the plugin's own directory.";
    return prefix.startsWith('/')
      ? `Read ${prefix} and what lies below it.`
      : `Read ${prefix} and what lies below it, in the plugin's own directory.`;
  },
};

const MAX_PATH = 4096;

function parsePrefix(text: string): string {
  const why = reasonAgainst(text);
  if (why !== undefined) throw invalidPermission('filesystem', text, why);
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (text.startsWith('/')) return `/${segments.join('/')}`;
  return segments.length === 0 ? '.' : segments.join('/');
}

function reasonAgainst(text: string): string | undefined {
  if (text === '') return 'it is empty. Write "." for the plugin\'s own directory.';
  if (text.length > MAX_PATH) return `it is longer than ${MAX_PATH} characters.`;
  // eslint-disable-next-line no-control-regex -- exactly these characters are what is refused
  if (/[\u0000-\u001f\u007f]/.test(text)) return 'it holds a control character.';
  if (text.includes('\\')) return 'write "/" between the segments of a path.';
  if (text.includes('*')) return 'a prefix covers what lies below it. Leave the "*" out.';
  if (text.startsWith('~')) return '"~" is not expanded. Write the whole path.';
  if (text.split('/').includes('..')) return 'a path with ".." leads elsewhere. Write where to.';
  return undefined;
}

function liesWithin(prefix: string, path: string): boolean {
  if (prefix === path) return true;
  if (prefix === '.') return !path.startsWith('/');
  return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}
