// Runs every property of the suite many times, from a seed that it prints:
//
//   npm run fuzz                            20,000 runs of each, from a random seed
//   npm run fuzz -- --runs 1000 --seed 42   as many, from that seed
//   npm run fuzz -- test/fuzz/urls.test.ts  of these files alone
//
// What fails prints the value that it found. Keep that as an example of the property (`examples` of
// `fc.assert`) or as a test of its own, and mend what it found.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '20000' }, seed: { type: 'string' } },
  allowPositionals: true,
});
const { runs } = values;
const seed = values.seed ?? String(randomInt(2 ** 31));

const files = positionals.length > 0 ? positionals : withProperties();
console.log(`${files.length} files, ${runs} runs of each property, seed ${seed}`);
console.log(`again: npm run fuzz -- --runs ${runs} --seed ${seed}\n`);

const vitest = 'node_modules/vitest/vitest.mjs';
const { status } = spawnSync(process.execPath, [vitest, 'run', '--reporter=verbose', ...files], {
  stdio: 'inherit',
  env: { ...process.env, BULKHEAD_FUZZ_RUNS: runs, BULKHEAD_FUZZ_SEED: seed },
});
console.log(`\nseed ${seed}: ${status === 0 ? 'nothing found' : 'FOUND SOMETHING'}`);
process.exit(status ?? 1);

function withProperties() {
  return readdirSync('test', { recursive: true })
    .map((path) => join('test', path))
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => /from '(fast-check|.*\/laws\.js)'/.test(readFileSync(path, 'utf8')));
}
