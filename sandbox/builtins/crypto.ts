import { Buffer } from './buffer.js';
import { denial, offer, type Denial } from './denied.js';
import { md5, sha1, sha224, sha256 } from './hash-32.js';
import { sha384, sha512 } from './hash-64.js';

type Data = string | Uint8Array;

interface Digest {
  readonly digest: (message: Uint8Array) => Uint8Array;
  readonly blockBytes: number;
}

const DIGESTS: ReadonlyMap<string, Digest> = new Map([
  ['md5', { digest: md5, blockBytes: 64 }],
  ['sha1', { digest: sha1, blockBytes: 64 }],
  ['sha224', { digest: sha224, blockBytes: 64 }],
  ['sha256', { digest: sha256, blockBytes: 64 }],
  ['sha384', { digest: sha384, blockBytes: 128 }],
  ['sha512', { digest: sha512, blockBytes: 128 }],
]);

function digestNamed(name: string): Digest {
  const digest = DIGESTS.get(name.toLowerCase().replace('-', ''));
  if (digest === undefined) {
    throw Object.assign(new Error(`Digest method not supported: ${name}`), {
      code: 'ERR_CRYPTO_INVALID_DIGEST',
    });
  }
  return digest;
}

/** Gathers what is to be hashed; computed in plain JavaScript when the digest is asked for. */
class Hash {
  #parts: Uint8Array[] = [];
  readonly #finish: (message: Uint8Array) => Uint8Array;

  constructor(finish: (message: Uint8Array) => Uint8Array) {
    this.#finish = finish;
  }

  update(data: Data, encoding?: string): this {
    this.#parts.push(toBytes(data, encoding));
    return this;
  }

  digest(encoding?: string): Buffer | string {
    const hash = Buffer.from(this.#finish(Buffer.concat(this.#parts)));
    return encoding === undefined || encoding === 'buffer' ? hash : hash.toString(encoding);
  }

  copy(): Hash {
    const copy = new Hash(this.#finish);
    copy.#parts = [...this.#parts];
    return copy;
  }
}

function createHash(algorithm: string): Hash {
  return new Hash(digestNamed(algorithm).digest);
}

function createHmac(algorithm: string, key: Data): Hash {
  const { digest, blockBytes } = digestNamed(algorithm);
  const given = toBytes(key);
  const fitted = Buffer.concat([given.length > blockBytes ? digest(given) : given], blockBytes);
  const padded = (value: number): Uint8Array => fitted.map((byte) => byte ^ value);
  return new Hash((message) =>
    digest(Buffer.concat([padded(0x5c), digest(Buffer.concat([padded(0x36), message]))])),
  );
}

function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) throw new RangeError('Input buffers must have the same byte length');
  return a.reduce((difference, byte, index) => difference | (byte ^ (b[index] ?? 0)), 0) === 0;
}

function toBytes(data: Data, encoding?: string): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, encoding) : data;
}

const RANDOM = [
  'getRandomValues',
  'randomBytes',
  'randomFill',
  'randomFillSync',
  'randomInt',
  'randomUUID',
];

function noRandomness(name: string): () => never {
  return (): never => {
    const error: Denial = denial(
      'BUILTIN_DENIED',
      `crypto.${name} is refused to plugins: no permission grants cryptographic randomness. Ask the host for an identifier in the tool's input, or use Math.random where "random" is granted and guessable values do no harm.`,
    );
    throw error;
  };
}

const random = Object.fromEntries(RANDOM.map((name) => [name, noRandomness(name)]));

export const builtin: object = offer('crypto', {
  ...random,
  createHash,
  createHmac,
  timingSafeEqual,
  Hash,
  hash: (algorithm: string, data: Data, encoding = 'hex'): Buffer | string =>
    createHash(algorithm).update(data).digest(encoding),
  getHashes: (): string[] => [...DIGESTS.keys()],
  constants: {},
  webcrypto: offer('crypto', { ...random }),
});
