import nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { BulkheadError } from './errors.js';

let manifest: string | undefined;

/** The absolute path of a file of this package, given by its path in the package. */
export function ownFile(path: string): string {
  manifest ??= findManifest();
  return join(dirname(manifest), path);
}

/** `require`, as a file of this package has it. */
export function ownRequire(): NodeJS.Require {
  return requireAt(ownFile('package.json'));
}

function findManifest(): string {
  // In a bundle of an application, this code is a file of the application, in either module format.
  const here = typeof __filename === 'string' ? __filename : import.meta.url;
  const { resolve } = requireAt(here);
  // Exact names, because Node replaces each `*` of a pattern's path, also in the directories above.
  for (const name of ['#bulkhead/package.json', 'bulkhead/package.json']) {
    try {
      return resolve(name);
    } catch {
      // The next name.
    }
  }
  throw new BulkheadError(
    'INVALID_OPTIONS',
    `This application was bundled, and the package bulkhead, whose guests are programs of their own, is not installed beside ${here}. Install it there, or keep it out of the bundle.`,
    { option: 'bulkhead' },
  );
}

/** Not `createRequire` imported by its name, because webpack removes calls of that. */
function requireAt(file: string): NodeJS.Require {
  return nodeModule.createRequire(file);
}
