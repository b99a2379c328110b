import { isRecord } from '../../sandbox/wire/json.js';
import { BulkheadError } from '../errors.js';

/**
 * Checks npm's lock file, made with `omit-lockfile-registry-resolved`, before anything is fetched: every
 * package comes from a registry, with a sha512. Returns the number of packages. Throws `PACKAGE_REFUSED` with the first three that do not.
 */
export function checkTree(name: string, lock: string): number {
  const parsed: unknown = JSON.parse(lock);
  const packages = isRecord(parsed) ? parsed['packages'] : undefined;
  const entries = Object.entries(isRecord(packages) ? packages : {}).filter(
    ([path]) => path !== '',
  );
  const wrong = entries.flatMap(([path, entry]) => {
    const why = whyRefused(entry);
    return why === undefined ? [] : [`${path.slice(0, 200)} ${why}`];
  });
  if (entries.length > 0 && wrong.length === 0) return entries.length;
  const why = entries.length === 0 ? 'it has no packages' : wrong.slice(0, 3).join('; ');
  throw new BulkheadError(
    'PACKAGE_REFUSED',
    `${name} was not fetched: ${why}. Use a version whose dependencies all come from the registry.`,
    { package: name },
  );
}

function whyRefused(entry: unknown): string | undefined {
  const { resolved, integrity, link, inBundle } = isRecord(entry) ? entry : {};
  // Bundled in the archive of another package, whose sha512 covers it.
  if (inBundle === true) return undefined;
  // npm leaves out the source of what comes from a registry: only a URL, git or a directory has one.
  // guard: package-without-foreign-source
  if (link === true || resolved !== undefined) {
    return 'does not come from a registry';
  }
  // guard: package-integrity-required
  if (typeof integrity !== 'string' || !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)) {
    return 'has no sha512';
  }
  return undefined;
}
