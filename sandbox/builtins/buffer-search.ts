/** Where a sequence of bytes begins in another, searched forwards (1) or backwards (-1); -1 if nowhere. */
export function search(
  bytes: Uint8Array,
  wanted: ArrayLike<number>,
  from: number | string,
  step: 1 | -1,
): number {
  const first = typeof from === 'number' ? from : 0;
  const start = first < 0 ? Math.max(0, bytes.length + first) : first;
  const last = bytes.length - wanted.length;
  for (let at = step === 1 ? start : Math.min(start, last); at >= 0 && at <= last; at += step) {
    let same = 0;
    while (same < wanted.length && bytes[at + same] === wanted[same]) same += 1;
    if (same === wanted.length) return at;
  }
  return -1;
}

/** Turns round the bytes of each group of that width, in place. */
export function swap<Bytes extends Uint8Array>(bytes: Bytes, width: number): Bytes {
  if (bytes.length % width !== 0) {
    throw new RangeError(`Buffer size must be a multiple of ${width * 8}-bits`);
  }
  for (let at = 0; at < bytes.length; at += width) {
    for (let low = at, high = at + width - 1; low < high; low += 1, high -= 1) {
      const kept = bytes[low] ?? 0;
      bytes[low] = bytes[high] ?? 0;
      bytes[high] = kept;
    }
  }
  return bytes;
}
