import { hmac } from '@noble/hashes/hmac.js';
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { Buffer } from './buffer.js';
import { always, type CompartmentGlobals } from './compartment-globals.js';
import { offer } from './denied.js';

type Data = string | Uint8Array;

const DIGESTS = { md5, sha1, sha224, sha256, sha384, sha512 };

function digestNamed(name: string): (typeof DIGESTS)[keyof typeof DIGESTS] {
  const plain = name.toLowerCase().replace('-', '');
  for (const [known, digest] of Object.entries(DIGESTS)) if (known === plain) return digest;
  throw Object.assign(new Error(`Digest method not supported: ${name}`), {
    code: 'ERR_CRYPTO_INVALID_DIGEST',
  });
}

/** The package's running hash. */
interface Digesting {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
  clone(): Digesting;
}

export class Hash {
  readonly #digesting: Digesting;

  constructor(digesting: Digesting) {
    this.#digesting = digesting;
  }

  update(data: Data, encoding?: string): this {
    this.#digesting.update(toBytes(data, encoding));
    return this;
  }

  digest(encoding?: string): Buffer | string {
    const hash = Buffer.from(this.#digesting.digest());
    return encoding === undefined || encoding === 'buffer' ? hash : hash.toString(encoding);
  }

  copy(): Hash {
    return new Hash(this.#digesting.clone());
  }
}

export function createHash(algorithm: string): Hash {
  return new Hash(digestNamed(algorithm).create());
}

export function createHmac(algorithm: string, key: Data): Hash {
  return new Hash(hmac.create(digestNamed(algorithm), toBytes(key)));
}

/** The names of the digests. */
export function getHashes(): string[] {
  return Object.keys(DIGESTS);
}

function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) throw new RangeError('Input buffers must have the same byte length');
  return a.reduce((difference, byte, index) => difference | (byte ^ (b[index] ?? 0)), 0) === 0;
}

function toBytes(data: Data, encoding?: string): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, encoding) : data;
}

/** The compartment's `crypto`. It decides whether the plugin may have randomness. */
function webCrypto(): CompartmentGlobals['crypto'] {
  return always('crypto');
}

/** Fills an array of any length. One draw has at most 65,536 bytes. */
function fill(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += MAX_DRAW_BYTES) {
    webCrypto().getRandomValues(bytes.subarray(at, at + MAX_DRAW_BYTES));
  }
}

const MAX_DRAW_BYTES = 65_536;

type Callback = (error: Error | null, value?: unknown) => void;

/** Runs a function, and passes its result to a callback in a later turn if there is one. */
function finish<Value>(make: () => Value, callback: Callback | undefined): Value | undefined {
  if (callback === undefined) return make();
  let outcome: readonly [error: Error | null, value?: Value];
  try {
    outcome = [null, make()];
  } catch (error) {
    outcome = [error instanceof Error ? error : new Error(String(error))];
  }
  always('queueMicrotask')(() => callback(...outcome));
  return undefined;
}

function randomBytes(size: number, callback?: Callback): Buffer | undefined {
  return finish(() => {
    const bytes = Buffer.alloc(size);
    fill(bytes);
    return bytes;
  }, callback);
}

function randomFillSync<View extends ArrayBufferView>(view: View, offset = 0, size?: number): View {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const unit = 'BYTES_PER_ELEMENT' in view ? Number(view.BYTES_PER_ELEMENT) : 1;
  const start = offset * unit;
  fill(bytes.subarray(start, size === undefined ? undefined : start + size * unit));
  return view;
}

function randomFill(view: ArrayBufferView, ...rest: unknown[]): void {
  const callback = rest.find((one): one is Callback => typeof one === 'function');
  const [offset, size] = rest.filter((one) => typeof one === 'number');
  if (callback === undefined)
    throw new TypeError('The "callback" argument must be of type function');
  finish(() => randomFillSync(view, offset, size), callback);
}

/** Draws again instead of using a remainder, so that every number is equally likely. */
function randomInt(...args: readonly unknown[]): number | undefined {
  const callback = args.find((one): one is Callback => typeof one === 'function');
  const numbers = args.filter((one) => typeof one === 'number');
  const [min, max] =
    numbers.length === 1 ? [0, numbers[0] ?? 0] : [numbers[0] ?? 0, numbers[1] ?? 0];
  const range = max - min;
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || range <= 0 || range > 2 ** 48) {
    throw Object.assign(new RangeError(`The range from ${min} to ${max} is out of range`), {
      code: 'ERR_OUT_OF_RANGE',
    });
  }
  return finish(() => {
    const limit = 2 ** 48 - (2 ** 48 % range);
    for (;;) {
      const drawn = Buffer.from(webCrypto().getRandomValues(new Uint8Array(6))).readUIntBE(0, 6);
      if (drawn < limit) return min + (drawn % range);
    }
  }, callback);
}

const webcrypto: object = offer('crypto', {
  getRandomValues: <View>(view: View): View => webCrypto().getRandomValues(view),
  randomUUID: (): string => webCrypto().randomUUID(),
  get subtle(): object {
    return webCrypto().subtle;
  },
});

export const builtin: object = offer('crypto', {
  createHash,
  createHmac,
  timingSafeEqual,
  Hash,
  hash: (algorithm: string, data: Data, encoding = 'hex'): Buffer | string =>
    createHash(algorithm).update(data).digest(encoding),
  getHashes,
  constants: {},
  getRandomValues: <View>(view: View): View => webCrypto().getRandomValues(view),
  randomBytes,
  pseudoRandomBytes: randomBytes,
  randomFill,
  randomFillSync,
  randomInt,
  randomUUID: (): string => webCrypto().randomUUID(),
  webcrypto,
  get subtle(): object {
    return webCrypto().subtle;
  },
});
