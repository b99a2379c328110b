import { padMessage, primeFractions } from './hash-common.js';

/** The hash functions of 64-bit words: SHA-512 and SHA-384. */
export function sha512(message: Uint8Array): Uint8Array {
  return sha2(message, primeFractions(8, 2));
}

export function sha384(message: Uint8Array): Uint8Array {
  // Its start comes from the ninth to the sixteenth prime.
  return sha2(message, primeFractions(16, 2).slice(8)).subarray(0, 48);
}

const CONSTANTS = primeFractions(80, 3);

const wrap = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotate = (x: bigint, n: bigint): bigint => (x >> n) | wrap(x << (64n - n));

function sha2(message: Uint8Array, start: readonly bigint[]): Uint8Array {
  const state = [...start];
  const words: bigint[] = Array.from({ length: 80 }, () => 0n);
  const at = (index: number): bigint => words[index] ?? 0n;
  for (const view of padMessage(message, 128, false)) {
    for (let i = 0; i < 80; i += 1) {
      const near = at(i - 15);
      const far = at(i - 2);
      words[i] =
        i < 16
          ? view.getBigUint64(i * 8)
          : wrap(
              at(i - 16) +
                (rotate(near, 1n) ^ rotate(near, 8n) ^ (near >> 7n)) +
                at(i - 7) +
                (rotate(far, 19n) ^ rotate(far, 61n) ^ (far >> 6n)),
            );
    }
    let [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = state;
    for (let i = 0; i < 80; i += 1) {
      const big1 = rotate(e, 14n) ^ rotate(e, 18n) ^ rotate(e, 41n);
      const one = wrap(h + big1 + ((e & f) ^ (wrap(~e) & g)) + (CONSTANTS[i] ?? 0n) + at(i));
      const big0 = rotate(a, 28n) ^ rotate(a, 34n) ^ rotate(a, 39n);
      const two = wrap(big0 + ((a & b) ^ (a & c) ^ (b & c)));
      [h, g, f, e, d, c, b, a] = [g, f, e, wrap(d + one), c, b, a, wrap(one + two)];
    }
    [a, b, c, d, e, f, g, h].forEach((value, index) => {
      state[index] = wrap((state[index] ?? 0n) + value);
    });
  }
  const bytes = new Uint8Array(64);
  const view = new DataView(bytes.buffer);
  state.forEach((word, index) => view.setBigUint64(index * 8, word));
  return bytes;
}
