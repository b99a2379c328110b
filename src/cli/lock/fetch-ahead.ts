import { isGitSpec, isPackageSpec, parseGitSpec, parsePackageSpec } from '../../npm/spec.js';
import type { StoredPackage } from '../../npm/store.js';
import type { CliCapabilities } from '../capabilities.js';

/** Packages that are fetched at once: each is a process of npm. */
const AT_ONCE = 3;

type Packages = CliCapabilities['packages'];

/**
 * Fetches the packages and commits among what was named, some at once, and shows the progress on a terminal.
 * Returns capabilities that have the results. A failure is reported when its package is asked for.
 */
export async function fetchAhead(
  named: readonly string[],
  capabilities: CliCapabilities,
): Promise<CliCapabilities> {
  const { packages, stderr } = capabilities;
  const fetches = named.flatMap(
    (text): readonly (readonly [string, () => Promise<StoredPackage>])[] => {
      try {
        if (isPackageSpec(text)) {
          const spec = parsePackageSpec(text);
          return [[keyOf(spec), () => packages.fetch(spec)]];
        }
        if (!isGitSpec(text)) return [];
        const spec = parseGitSpec(text);
        return [[keyOf(spec), () => packages.fetchCommit(spec)]];
      } catch {
        // Its own turn reports that it names nothing.
        return [];
      }
    },
  );
  const results = new Map<string, Promise<StoredPackage>>();
  const waiting = [...new Map(fetches)];
  if (waiting.length < 2) return capabilities;
  const total = waiting.length;
  let done = 0;
  const show = async (): Promise<void> => {
    if (stderr.isTerminal) await stderr.write(`\r${bar(done, total)}${done === total ? '\n' : ''}`);
  };
  await show();
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [key, fetch] = next;
      const result = fetch();
      results.set(key, result);
      await Promise.allSettled([result]);
      done += 1;
      await show();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const take = (key: string, fetch: () => Promise<StoredPackage>): Promise<StoredPackage> =>
    results.get(key) ?? fetch();
  const fetched: Packages = {
    ...packages,
    fetch: (spec) => take(keyOf(spec), () => packages.fetch(spec)),
    fetchCommit: (spec) => take(keyOf(spec), () => packages.fetchCommit(spec)),
  };
  return { ...capabilities, packages: fetched };
}

function keyOf(spec: object): string {
  return JSON.stringify(spec);
}

const WIDTH = 20;

function bar(done: number, total: number): string {
  const filled = Math.round((done / total) * WIDTH);
  return `fetching [${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${done} of ${total}`;
}
