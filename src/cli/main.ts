#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { whyUnsupported } from '../supported-runtime.js';

const packageJson = new URL('../../../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(packageJson, 'utf8'));
const [first, ...others] = process.argv.slice(2);

const unsupported = whyUnsupported(process.versions, '"$(which bulkhead)"');
if (unsupported !== undefined) {
  process.stderr.write(`${unsupported}\n`);
  process.exitCode = 1;
} else if ((first === '--version' || first === '-V') && others.length === 0) {
  // Answered before the product is loaded, because shells and scripts ask for it often.
  process.stdout.write(`${version}\n`);
} else {
  void import('./run-process.js').then(({ runProcess }) => runProcess(version));
}
