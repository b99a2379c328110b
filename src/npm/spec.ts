import { BulkheadError } from '../errors.js';

/** A package of the registry, as the operator names it. */
export interface PackageSpec {
  readonly name: string;
  /** A version, a range or a tag. Default: `latest`. */
  readonly version: string;
}

const PREFIX = 'npm:';
const SPEC =
  /^(?<name>(?:@[a-z0-9~-][a-z0-9._~-]{0,199}\/)?[a-z0-9~-][a-z0-9._~-]{0,199})(?:@(?<version>[A-Za-z0-9.^~*+-]{1,100}))?$/;

/** Whether a text names a package of the registry. */
export function isPackageSpec(text: string): boolean {
  return text.startsWith(PREFIX);
}

/**
 * Reads `npm:name`, `npm:@scope/name@1.2.3`. Throws `INVALID_OPTIONS`, also for what npm would fetch from
 * elsewhere: a URL, a git repository, a directory.
 */
export function parsePackageSpec(text: string): PackageSpec {
  const { name, version = 'latest' } = SPEC.exec(text.slice(PREFIX.length))?.groups ?? {};
  if (isPackageSpec(text) && name !== undefined) return { name, version };
  throw new BulkheadError(
    'INVALID_OPTIONS',
    `${JSON.stringify(text.slice(0, 200))} does not name a package of a registry. Write npm:name or npm:@scope/name@1.2.3.`,
    { option: 'package' },
  );
}
