import { isRecord } from '../../sandbox/wire/json.js';
import { BulkheadError } from '../errors.js';

export function refused(name: string, why: string): BulkheadError<'PACKAGE_REFUSED'> {
  return new BulkheadError('PACKAGE_REFUSED', `${name} was not fetched: ${why}.`, {
    package: name,
  });
}

/** Throws if one of the dependencies that a manifest names is a URL, a repository or a directory. */
export function requireRegistry(name: string, dependencies: unknown): void {
  const foreign = Object.entries(isRecord(dependencies) ? dependencies : {}).find(isForeign);
  if (foreign === undefined) return;
  const what = JSON.stringify(foreign[0].slice(0, 200));
  throw refused(name, `its dependency ${what} does not come from a registry`);
}

/** `npm:other@1` is another name in the registry. */
function isForeign([, source]: readonly [string, unknown]): boolean {
  return typeof source !== 'string' || /[:/]/.test(source.replace(/^npm:@?[^:/]*\/?/, ''));
}
