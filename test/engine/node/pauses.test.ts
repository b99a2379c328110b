import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mapConcurrently } from '../../../src/engine/node/pauses.js';
import { diskReader } from '../../../src/engine/node/disk-reader.js';
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

describe('the event loop', () => {
  it.each([
    ['reads', () => diskReader.readFile(file, 10)],
    ['looks for', () => diskReader.stat(file)],
  ])('is not blocked by code that %s thousands of files', async (_, look) => {
    await look();
    const long = runsBeside(async () => {
      keepBusy(11);
      await look();
    });
    expect(await long).toBe(true);
  });

  it('is not blocked by the installation of thousands of plugins', async () => {
    const install = async (ms: number): Promise<void> => keepBusy(ms);
    expect(await runsBeside(() => mapConcurrently([4, 4, 4], 1, install))).toBe(true);
  });
});
