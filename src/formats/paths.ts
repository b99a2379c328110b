import { dirname, basename, join } from 'node:path';
import type { ReadPower } from './format.js';

/**
 * The paths that patterns stand for; what is there is for whoever looks. A `*` in a segment stands for any characters but a leading dot,
 * as in a shell; each pattern's matches are in the order of their names.
 */
export async function expandPaths(
  power: ReadPower,
  paths: readonly string[],
): Promise<readonly string[]> {
  const expanded: string[] = [];
  for (const path of paths) expanded.push(...(await expand(power, path)));
  return [...new Set(expanded)];
}

async function expand(power: ReadPower, path: string): Promise<readonly string[]> {
  if (!path.includes('*')) return [path];
  const parents = await expand(power, dirname(path));
  const segment = basename(path);
  const found: string[] = [];
  for (const parent of parents) {
    const names = segment.includes('*') ? await matching(power, parent, segment) : [segment];
    for (const name of names) found.push(join(parent, name));
  }
  return found;
}

async function matching(
  power: ReadPower,
  directory: string,
  pattern: string,
): Promise<readonly string[]> {
  const names = (await power.listDirectory(directory)) ?? [];
  return names.filter((name) => fits(name, pattern)).toSorted();
}

function fits(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  const [start = '', ...parts] = pattern.split('*');
  const end = parts.pop() ?? '';
  if (!name.startsWith(start) || name.length < start.length + end.length) return false;
  let rest = name.slice(start.length, name.length - end.length);
  for (const part of parts) {
    const at = rest.indexOf(part);
    if (at === -1) return false;
    rest = rest.slice(at + part.length);
  }
  return name.endsWith(end);
}
