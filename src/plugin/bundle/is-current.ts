import { setImmediate } from 'node:timers/promises';
import { type Evidence, inspectEntries, inspectPath, LISTING, stampNow } from './evidence.js';
import { absoluteOf, findHoisted } from './hoisted.js';

/** Whether the state is unchanged. Yields to the event loop every 500 lookups. */
export async function isCurrent({ root, hoisted, files, lookups }: Evidence): Promise<boolean> {
  if (findHoisted(root).join() !== hoisted.join()) return false;
  let count = 0;
  for (const [path, found] of Object.entries(lookups)) {
    // Files that were read are compared by their stamps below.
    if (found === 'file' && Object.hasOwn(files, path)) continue;
    if (lookUp(path, (place) => absoluteOf(root, hoisted, place)) !== found) return false;
    count += 1;
    if (count % 500 === 0) await setImmediate();
  }
  return Object.entries(files).every(
    ([path, { stamp }]) => stampNow(absoluteOf(root, hoisted, path)) === stamp,
  );
}

function lookUp(path: string, absolute: (path: string) => string): string {
  return path.endsWith(LISTING)
    ? inspectEntries(absolute(path.slice(0, -LISTING.length))).found
    : inspectPath(absolute(path));
}
