import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inTurns } from '../../../src/engine/plugins/in-turns.js';
import { diskReader } from '../../../src/engine/powers/disk-reader.js';
import { makeDirectory } from '../plugin-on-disk.js';

/** Whether anything else got to run while the work was done. */
async function runsBeside(work: () => Promise<unknown>): Promise<boolean> {
  let ran = false;
  const other = setImmediate(() => {
    ran = true;
  });
  await work();
  clearImmediate(other);
  return ran;
}

function keepBusy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const file = join(makeDirectory(), 'file.txt');
writeFileSync(file, 'text');

it.each([
  ['reads', () => diskReader.readFile(file, 10)],
  ['looks for', () => diskReader.stat(file)],
])('who %s thousands of files lets others run', async (_, look) => {
  await look();
  const long = runsBeside(async () => {
    keepBusy(11);
    await look();
  });
  expect(await long).toBe(true);
});

it('who installs thousands of plugins lets others run', async () => {
  const install = async (ms: number): Promise<void> => keepBusy(ms);
  expect(await runsBeside(() => inTurns([4, 4, 4], 1, install))).toBe(true);
});
