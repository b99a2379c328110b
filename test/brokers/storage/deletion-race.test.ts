import { mkdtempSync, openSync, fstatSync, rmSync, writeFileSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { requireFile } from '../../../src/brokers/storage/reading.js';

it('a file that is deleted while it is read is missing, and not a link', async () => {
  const root = mkdtempSync(join(tmpdir(), 'bulkhead-race-'));
  const path = join(root, 'a.txt');
  writeFileSync(path, 'text');
  const descriptor = openSync(path, 'r');
  rmSync(root, { recursive: true });
  const deleted = fstatSync(descriptor);
  closeSync(descriptor);
  const context = {
    refusals: {
      failed: (_: string, errno: string) => new Error(errno),
      foreign: () => new Error('it is a link'),
    },
  };
  const location = { directory: { stat: async () => deleted }, name: 'a.txt', path: 'a.txt' };
  // The parts that the check uses.
  await expect(requireFile(context as never, location as never)).rejects.toThrow('ENOENT');
});
