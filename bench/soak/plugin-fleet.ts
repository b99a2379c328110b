import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeTools } from '../plugins-on-disk.js';

/** Tools that behave, and tools that the host must survive. */
const SOURCE = `
const tool = (id, execute) =>
  ({ id, name: id, description: id, annotations: { readOnlyHint: true }, execute });
export const tools = [
  tool('echo', async (input) => input),
  tool('sleep', ({ ms }) => new Promise((resolve) => setTimeout(() => resolve(ms), ms))),
  tool('loop', () => { for (;;); }),
  tool('hang', () => new Promise(() => {})),
  tool('store', async (input) => {
    await storage.write('stored.txt', 'x'.repeat(100_000));
    return input;
  }),
  tool('throw', () => { throw new Error('on purpose') }),
];`;

/** Writes `count` plugins with the same content and different ids. Returns the ids. */
export function writePluginFleet(root: string, count: number): readonly string[] {
  const ids = Array.from({ length: count }, (_, n) => `p${n}`);
  for (const id of ids) {
    const directory = join(root, id);
    // An earlier soak wrote it, so the caches of it are still valid.
    if (!isWritten(join(directory, 'index.js')))
      writeTools(directory, id, SOURCE, { storage: true });
  }
  return ids;
}

function isWritten(file: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8') === SOURCE;
}
