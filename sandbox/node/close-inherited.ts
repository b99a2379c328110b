import { closeSync, fstatSync } from 'node:fs';

/**
 * Closes what this process was given open besides its own pipe: whoever started the host may have
 * left it files and sockets of its own, and they go on to every program that it starts. Each is
 * named as `number:device:inode`: the host may have closed it since, and the number be another's.
 */
export function closeInherited(descriptors: readonly string[]): void {
  for (const descriptor of descriptors) {
    const [number = -1, dev, ino] = descriptor.split(':').map(Number);
    try {
      const open = fstatSync(number);
      if (open.dev === dev && open.ino === ino) closeSync(number);
    } catch {
      // It is not open here.
    }
  }
}
