import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Where the compiled files of `sandbox/builtins` are. */
export const builtinDirectory: string = dirname(
  createRequire(import.meta.url).resolve('#sandbox/builtins/denied.js'),
);
const known = new Map<string, string>();

/** The compiled text of a file of `sandbox/builtins`. Our own: trusted, and read once. */
export function readBuiltinFile(name: string): string {
  let text = known.get(name);
  if (text === undefined) {
    // Its source map speaks of files that are not there when Bulkhead is installed.
    text = readFileSync(join(builtinDirectory, name), 'utf8').replace(
      /\n\/\/# sourceMappingURL=.*\s*$/,
      '\n',
    );
    known.set(name, text);
  }
  return text;
}
