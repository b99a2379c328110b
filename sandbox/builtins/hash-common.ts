/** The blocks of a message: with a one bit, zeros, and its length in bits at the end. */
export function* padMessage(
  message: Uint8Array,
  blockBytes: number,
  little: boolean,
): Generator<DataView> {
  const lengthBytes = blockBytes / 8;
  const total = Math.ceil((message.length + 1 + lengthBytes) / blockBytes) * blockBytes;
  const padded = new Uint8Array(total);
  padded.set(message);
  padded[message.length] = 0x80;
  const bits = BigInt(message.length) * 8n;
  const view = new DataView(padded.buffer);
  if (little) view.setBigUint64(total - 8, bits, true);
  else view.setBigUint64(total - 8, bits);
  for (let at = 0; at < total; at += blockBytes) yield new DataView(padded.buffer, at, blockBytes);
}

/**
 * The constants of SHA-2: the first 64 bits of the fractional parts of the square (2) or cube (3)
 * roots of the first primes.
 */
export function primeFractions(count: number, root: 2 | 3): bigint[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes.map((prime) => {
    const scaled = BigInt(prime) << BigInt(64 * root);
    return BigInt.asUintN(64, integerRoot(scaled, BigInt(root)));
  });
}

/** By Newton's method, from above. */
function integerRoot(value: bigint, root: bigint): bigint {
  let guess = 1n << 80n;
  for (;;) {
    const next = ((root - 1n) * guess + value / guess ** (root - 1n)) / root;
    if (next >= guess) return guess;
    guess = next;
  }
}
