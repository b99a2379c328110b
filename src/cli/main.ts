#!/usr/bin/env node
import { readFileSync } from 'node:fs';

const packageJson = new URL('../../../package.json', import.meta.url);
const { version, engines } = JSON.parse(readFileSync(packageJson, 'utf8'));
const [first, ...others] = process.argv.slice(2);

const unsupported = whyUnsupported(process.versions);
if (unsupported !== undefined) {
  process.stderr.write(`${unsupported}\n`);
  process.exitCode = 1;
} else if ((first === '--version' || first === '-V') && others.length === 0) {
  // Answered before the product is loaded, because shells and scripts ask for it often.
  process.stdout.write(`${version}\n`);
} else {
  const { runProcess } = await import('./run-process.js');
  await runProcess(version);
}

/** Why this runtime cannot run the product, as one line; `undefined` if it can. */
function whyUnsupported({ bun, deno, node }: Readonly<Record<string, string | undefined>>) {
  const runtime = bun === undefined ? (deno === undefined ? undefined : 'Deno') : 'Bun';
  if (runtime !== undefined) {
    return `Bulkhead runs on Node.js ${engines.node}, and this is ${runtime}. Its walls need Node.js. Run: node "$(which bulkhead)"`;
  }
  const [major = 0, minor = 0] = (node ?? '0').split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return undefined;
  return `Bulkhead needs Node.js ${engines.node}, and this is ${node}. Install a newer Node.js from https://nodejs.org.`;
}
