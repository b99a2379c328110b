/** The hash functions of 32-bit words: MD5, SHA-1 and SHA-256 (with SHA-224). */
import { padMessage, primeFractions } from './hash-common.js';

const rotateLeft = (x: number, n: number): number => (x << n) | (x >>> (32 - n));
const rotateRight = (x: number, n: number): number => (x >>> n) | (x << (32 - n));

export function md5(message: Uint8Array): Uint8Array {
  const shifts = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
  ];
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (const view of padMessage(message, 64, true)) {
    let [a = 0, b = 0, c = 0, d = 0] = state;
    for (let i = 0; i < 64; i += 1) {
      const round = i >> 4;
      const mixed =
        round === 0
          ? (b & c) | (~b & d)
          : round === 1
            ? (d & b) | (~d & c)
            : round === 2
              ? b ^ c ^ d
              : c ^ (b | ~d);
      const word = [i, 5 * i + 1, 3 * i + 5, 7 * i][round] ?? 0;
      const constant = Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32);
      const sum = (a + mixed + constant + view.getUint32((word % 16) * 4, true)) | 0;
      [a, d, c, b] = [d, c, b, (b + rotateLeft(sum, shifts[round]?.[i % 4] ?? 0)) | 0];
    }
    addTo(state, [a, b, c, d]);
  }
  return toBytes(state, true);
}

export function sha1(message: Uint8Array): Uint8Array {
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  const words = new Int32Array(80);
  for (const view of padMessage(message, 64, false)) {
    for (let i = 0; i < 80; i += 1) {
      words[i] =
        i < 16
          ? view.getInt32(i * 4)
          : rotateLeft(
              at(words, i - 3) ^ at(words, i - 8) ^ at(words, i - 14) ^ at(words, i - 16),
              1,
            );
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
    for (let i = 0; i < 80; i += 1) {
      const round = Math.floor(i / 20);
      const mixed =
        round === 0 ? (b & c) | (~b & d) : round === 2 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
      const constant = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6][round] ?? 0;
      const next = (rotateLeft(a, 5) + mixed + e + constant + at(words, i)) | 0;
      [e, d, c, b, a] = [d, c, rotateLeft(b, 30), a, next];
    }
    addTo(state, [a, b, c, d, e]);
  }
  return toBytes(state, false);
}

export function sha256(message: Uint8Array): Uint8Array {
  return sha2(message, primeFractions(8, 2).map(high));
}

export function sha224(message: Uint8Array): Uint8Array {
  const start = [
    0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
  ];
  return sha2(message, start).subarray(0, 28);
}

const CONSTANTS = primeFractions(64, 3).map(high);

function sha2(message: Uint8Array, start: readonly number[]): Uint8Array {
  const state = [...start];
  const words = new Int32Array(64);
  for (const view of padMessage(message, 64, false)) {
    for (let i = 0; i < 64; i += 1) {
      const near = at(words, i - 15);
      const far = at(words, i - 2);
      words[i] =
        i < 16
          ? view.getInt32(i * 4)
          : at(words, i - 16) +
            (rotateRight(near, 7) ^ rotateRight(near, 18) ^ (near >>> 3)) +
            at(words, i - 7) +
            (rotateRight(far, 17) ^ rotateRight(far, 19) ^ (far >>> 10));
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let i = 0; i < 64; i += 1) {
      const big1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
      const one = (h + big1 + ((e & f) ^ (~e & g)) + (CONSTANTS[i] ?? 0) + at(words, i)) | 0;
      const big0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
      const two = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    addTo(state, [a, b, c, d, e, f, g, h]);
  }
  return toBytes(state, false);
}

function high(fraction: bigint): number {
  return Number(fraction >> 32n);
}

function at(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}

function addTo(state: number[], values: readonly number[]): void {
  values.forEach((value, index) => {
    state[index] = ((state[index] ?? 0) + value) | 0;
  });
}

function toBytes(state: readonly number[], little: boolean): Uint8Array {
  const bytes = new Uint8Array(state.length * 4);
  const view = new DataView(bytes.buffer);
  state.forEach((word, index) => view.setInt32(index * 4, word, little));
  return bytes;
}
