import { isListening } from '../../sandbox/wire/listening.js';
import type { DeniedUse } from '../engine/types/result.js';
import { protectedName } from '../permissions/protected-names.js';
import { shellWord, visible } from '../visible.js';

/** Lines about the requests that were denied during a call, a hook or a load. None without one. */
export function describeDenied(
  denied: readonly DeniedUse[] | undefined,
  most: number = Infinity,
): string {
  if (denied === undefined || denied.length === 0) return '';
  const count = denied.reduce((sum, one) => sum + one.count, 0);
  const lines = denied
    .slice(0, most)
    .map(({ permission, wanted, count: times, at, package: inPackage }) => {
      const many = times === 1 ? '' : ` (${times} times)`;
      const place = at === undefined ? '' : ` at ${visible(at)}`;
      if (inPackage !== undefined) {
        const flag = packageRemedyOf(permission, wanted);
        const fix = flag === undefined ? '' : ` (--allow-package ${visible(inPackage)}=${flag})`;
        return `  ${permission}: ${visible(wanted)}${many} by ${visible(inPackage)}${place}${fix}`;
      }
      const remedy = remedyOf(permission, wanted);
      return `  ${permission}: ${visible(wanted)}${many}${place} (${remedy})`;
    });
  const heading = count === 1 ? '1 request was denied:' : `${count} requests were denied:`;
  const rest = denied.length - lines.length;
  const more = rest === 0 ? [] : [`  and ${rest} more kinds of request`];
  return `${[heading, ...lines, ...more].join('\n')}\n`;
}

/** The permission of a package that would allow a use; `undefined` if there is none. */
function packageRemedyOf(permission: DeniedUse['permission'], wanted: string): string | undefined {
  if (permission === 'powers' || permission === 'fs') return permission;
  if (permission !== 'builtin') return remedyOf(permission, wanted).replace('--allow ', '');
  const [, other] = /^import (\S+)$/.exec(wanted) ?? [];
  return other === undefined ? undefined : `imports:${visible(other)}`;
}

/** The option that would allow a use, as far as its text names a scope. */
function remedyOf(permission: DeniedUse['permission'], wanted: string): string {
  switch (permission) {
    case 'builtin':
      return 'no permission allows it';
    case 'network': {
      const [, module = '', member = ''] = /^([\w/]+)\.(.+)$/.exec(wanted) ?? [];
      if (isListening(module, member)) return 'no permission allows it';
      const [url = ''] = /https?:\/\/\S+/.exec(wanted) ?? [];
      const host = URL.canParse(url) ? new URL(url).hostname : '';
      return `--allow network:${visible(host) || 'HOST'}`;
    }
    case 'env':
      return `--allow env:${/^\w+$/.test(wanted) ? wanted : 'NAME'}`;
    case 'powers':
      return `--allow powers:${/^[\w.-]+$/.test(wanted) ? wanted : 'NAME'}`;
    case 'fs':
      return fileRemedyOf(wanted);
    default:
      return `--allow ${permission}`;
  }
}

/** The option for a file: its path, or a path and a change of it, e.g. `write "/tmp/a"`. */
function fileRemedyOf(wanted: string): string {
  if (/^fs\.\w+$/.test(wanted)) return 'no permission allows it';
  const [, change, quoted] = /^(?:([a-z]+) )("\/.*")$/s.exec(wanted) ?? [];
  const path = quoted === undefined ? wanted : textOf(quoted);
  if (path === undefined || !path.startsWith('/')) return '--allow fs:PATH';
  if (protectedName(path.split('/')) !== undefined && change !== undefined) {
    return 'a protected name: see docs/files.md';
  }
  return `--allow ${shellWord(`fs:${path}${change === undefined ? '' : ':rw'}`)}`;
}

function textOf(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}
