import { freemem } from 'node:os';

/** Free bytes of this machine's memory. */
export function freeMemory(): number {
  return freemem();
}
