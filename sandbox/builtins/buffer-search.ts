/**
 * Where bytes are in others, from `from` on or before it, as `Buffer.indexOf` and `Buffer.lastIndexOf` count it. -1:
 * they are not there. `undefined` without bytes.
 */
export function findBytes(
  bytes: Uint8Array,
  wanted: Uint8Array | undefined,
  from: unknown,
  isForward: boolean,
): number | undefined {
  if (wanted === undefined) return undefined;
  const start = startOf(from, bytes.length, wanted.length, isForward);
  if (wanted.length === 0 || start < 0) return start;
  const last = bytes.length - wanted.length;
  const first = wanted[0];
  const step = isForward ? 1 : -1;
  // A search of the platform for each place of the first byte takes longer where there are many of them.
  for (let at = isForward ? start : Math.min(start, last); at >= 0 && at <= last; at += step) {
    if (bytes[at] === first && isAt(bytes, wanted, at)) return at;
  }
  return -1;
}

function isAt(bytes: Uint8Array, wanted: Uint8Array, at: number): boolean {
  for (let index = 1; index < wanted.length; index += 1) {
    if (bytes[at + index] !== wanted[index]) return false;
  }
  return true;
}

/** Where the search begins. -1: it finds nothing. An offset below 0 counts from the end. */
function startOf(from: unknown, length: number, wanted: number, isForward: boolean): number {
  // Without the addition it could be -0.
  const offset = Math.trunc(Number(typeof from === 'string' ? undefined : from)) + 0;
  if (Number.isNaN(offset)) return isForward ? 0 : length;
  if (offset >= 0)
    return isForward && wanted > 0 && offset >= length ? -1 : Math.min(offset, length);
  if (offset + length >= 0) return offset + length;
  return isForward || wanted === 0 ? 0 : -1;
}
