import type { Sealed } from '../chain.js';

/** More than this is not kept for the next time. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/** No character of a string takes more bytes of UTF-8: those that take four are two of its characters. */
const MAX_CHARACTER_BYTES = 3;

const NEWLINE = 0x0a;

/**
 * Makes records into the bytes of their lines. Each time in the same place: what was made before has to
 * be written by then. Fresh memory for every write costs more than to fill it.
 */
export function makeEncoder(): (records: readonly Sealed[]) => Buffer {
  let kept = Buffer.alloc(0);
  return (records) => {
    let most = 0;
    for (const { line } of records) most += line.length * MAX_CHARACTER_BYTES + 1;
    const bytes = most <= kept.length ? kept : Buffer.allocUnsafeSlow(most);
    if (bytes.length <= MAX_KEPT_BYTES) kept = bytes;
    let end = 0;
    for (const { line } of records) {
      end += bytes.write(line, end);
      bytes[end] = NEWLINE;
      end += 1;
    }
    return bytes.subarray(0, end);
  };
}
