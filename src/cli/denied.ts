import type { DeniedUse } from '../engine/types/result.js';
import { visible } from '../visible.js';

/** Lines about the requests that were denied during a call or a hook. None without one. */
export function describeDenied(denied: readonly DeniedUse[] | undefined): string {
  if (denied === undefined || denied.length === 0) return '';
  const count = denied.reduce((sum, one) => sum + one.count, 0);
  const lines = denied.map(({ permission, wanted, count: times, at }) => {
    const many = times === 1 ? '' : ` (${times} times)`;
    const place = at === undefined ? '' : ` at ${visible(at)}`;
    const remedy = permission === 'builtin' ? 'no permission allows it' : `--allow ${permission}`;
    return `  ${permission}: ${visible(wanted)}${many}${place} (${remedy})`;
  });
  const heading = count === 1 ? '1 request was denied:' : `${count} requests were denied:`;
  return `${[heading, ...lines].join('\n')}\n`;
}
