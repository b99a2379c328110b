import { closeSync, fstatSync, readdirSync, readFileSync } from 'node:fs';

/** An open file, socket or pipe. Device and inode identify it if its number is reused. */
export interface Descriptor {
  readonly number: number;
  readonly dev: number;
  readonly ino: number;
}

/**
 * Descriptors that this process inherited and that every program it starts would inherit. Node closes
 * its own, and the first few of the inherited ones. Linux only; none elsewhere.
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

/** Closes those that are still open in this process. A program started later does not inherit them. */
export function closeDescriptors(descriptors: readonly Descriptor[]): void {
  for (const { number, dev, ino } of descriptors) {
    try {
      const open = fstatSync(number);
      if (open.dev === dev && open.ino === ino) closeSync(number);
    } catch {
      // It is not open here.
    }
  }
}

/** A descriptor as an argument of a program. */
export function nameDescriptor({ number, dev, ino }: Descriptor): string {
  return `${number}:${dev}:${ino}`;
}

/** The descriptor that an argument names. */
export function parseDescriptor(name: string): Descriptor {
  const [number = -1, dev = -1, ino = -1] = name.split(':').map(Number);
  return { number, dev, ino };
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
    // Closed since: the descriptor that listed the others.
    return [];
  }
}
