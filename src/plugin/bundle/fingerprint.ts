import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version as acornVersion } from 'acorn';
import { version as esbuildVersion } from 'esbuild';
import { builtinDirectory } from './builtin-files.js';

let fingerprint: string | undefined;

/** Changes whenever the bundler might make something else of the same sources. */
export function bundlerFingerprint(): string {
  if (fingerprint === undefined) {
    const hash = createHash('sha256').update(`${esbuildVersion} ${acornVersion}`);
    for (const directory of [dirname(fileURLToPath(import.meta.url)), builtinDirectory]) {
      const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
      for (const name of names.filter((file) => /\.[jt]s$/.test(file)).toSorted()) {
        hash.update(`\n${name}\n`).update(readFileSync(join(directory, name)));
      }
    }
    fingerprint = hash.digest('hex');
  }
  return fingerprint;
}
