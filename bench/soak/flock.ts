import { existsSync } from 'node:fs';
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
  tool('throw', () => { throw new Error('on purpose') }),
];`;

/** Writes so many plugins of one content and names of their own; returns their ids. */
export function writeFlock(root: string, count: number): readonly string[] {
  const ids = Array.from({ length: count }, (_, n) => `p${n}`);
  for (const id of ids) {
    const directory = join(root, id);
    // Written for an earlier soak: what was kept of it still holds.
    if (!existsSync(directory)) writeTools(directory, id, SOURCE);
  }
  return ids;
}
