import { closeSync, fstatSync } from 'node:fs';

/**
 * Closes files and sockets that this process inherited through its host, except its own pipe. Each is
 * named as `number:device:inode`: the host may have closed it since, and reused the number.
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
