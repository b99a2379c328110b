import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeTools } from '../plugins-on-disk.js';

/** Tools that behave, and tools that do what a host has to survive. */
const SOURCE = `
const tool = (id, execute) =>
  ({ id, name: id, description: id, annotations: { readOnlyHint: true }, execute });
export const tools = [
  tool('echo', async (input) => input),
  tool('sleep', ({ ms }) => new Promise((resolve) => setTimeout(() => resolve(ms), ms))),
  tool('loop', () => { for (;;); }),
  tool('hang', () => new Promise(() => {})),
  tool('keep', async (input) => {
    await storage.write('kept.txt', 'x'.repeat(100_000));
    return input;
  }),
  tool('throw', () => { throw new Error('on purpose') }),
];`;

/** Writes so many plugins of one content and names of their own; returns their ids. */
export function writeFlock(root: string, count: number): readonly string[] {
  const ids = Array.from({ length: count }, (_, n) => `p${n}`);
  for (const id of ids) {
    const directory = join(root, id);
    // Written for an earlier soak: what was kept of it still holds.
    if (!isWritten(join(directory, 'index.js')))
      writeTools(directory, id, SOURCE, { storage: true });
  }
  return ids;
}

function isWritten(file: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8') === SOURCE;
}
