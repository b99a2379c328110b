import { fstatSync, readdirSync, readFileSync } from 'node:fs';
import type { Descriptor } from './command.js';

/**
 * What this process was itself given open by whoever started it, and what would go on to every
 * program that it starts: Node closes what it opens, and the first few of those that it was given.
 */
export function inheritableDescriptors(): Descriptor[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((number) => number >= STANDARD)
      .flatMap(readInheritable);
  } catch {
    return [];
  }
}

const STANDARD = 3;
const CLOSE_ON_EXEC = 0o2000000;

function readInheritable(number: number): Descriptor[] {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${number}`, 'utf8');
    const flags = Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? '', 8);
    if ((flags & CLOSE_ON_EXEC) !== 0) return [];
    const { dev, ino } = fstatSync(number);
    return [{ number, dev, ino }];
  } catch {
    // Closed since: the one that listed the others.
    return [];
  }
}
