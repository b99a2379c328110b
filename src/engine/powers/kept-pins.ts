import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { PinStore } from '../../remotes/pins.js';
import { keepTexts } from './kept-texts.js';

/** Keeps what was reviewed of servers beside what plugins keep: it is no cache, and not made again. */
export function keepPins(storageDirectory: string): PinStore {
  const texts = keepTexts(join(storageDirectory, '..', 'remotes'));
  // An id may hold what no file's name may.
  const nameOf = (id: string): string =>
    `${id.replace(/\W/g, '_')}-${createHash('sha256').update(id).digest('hex').slice(0, 16)}.json`;
  return {
    read: (id) => texts.read(nameOf(id)),
    keep: (id, text) => texts.keep(nameOf(id), text),
  };
}
