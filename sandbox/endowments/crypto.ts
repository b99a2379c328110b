import { copyBytes, isTypedArray, typedArrayName, viewBytes } from './bytes.js';
import { type Brand, makeBrand } from './brand.js';
import { makeRevocation } from './denial.js';
import {
  DIGESTS,
  type DigestName,
  type Endowed,
  type Endowment,
  type EndowmentCapabilities,
} from './endowment.js';
import { withCode } from './errors.js';
import { domExceptionClass } from './events/dom-exception.js';
import { isIterable, isObject, member, toText } from './web-idl.js';

/**
 * `crypto`. `subtle.digest` and HMAC compute only, so they need no permission. `getRandomValues` and
 * `randomUUID` read the system's randomness with the permission `random`, if the plugin's system
 * has them: Pandora's has not.
 */
export const crypto: Endowment = {
  permission: 'random',
  globals: ['crypto'],
  make: (capabilities): Endowed => endowCrypto(capabilities, 'held'),
  withheld: (capabilities): Endowed => endowCrypto(capabilities, 'withheld'),
  withheldInPackage: (capabilities) => ({
    // Made only for a compartment, not for each package in it.
    get globals() {
      return endowCrypto(capabilities, 'withheld').globals;
    },
    forDependencies: {},
  }),
};

function endowCrypto(capabilities: EndowmentCapabilities, from: 'held' | 'withheld'): Endowed {
  let state: 'held' | 'withheld' | 'revoked' = from;
  const demand = (wanted: string): void => {
    // guard: crypto-random-per-system
    if (!capabilities.hasCryptoRandom) throw neverGranted(capabilities, wanted);
    // guard: crypto-random-needs-permission
    if (state === 'withheld') throw capabilities.denial('random', wanted);
    if (state === 'revoked') throw makeRevocation(capabilities.plugin, 'random', wanted);
  };
  const DOMException = domExceptionClass(capabilities);
  const keys = makeBrand<KeyState>('CryptoKey');
  class CryptoKey {
    constructor() {
      throw new TypeError('A CryptoKey comes from subtle.importKey');
    }
    get type(): string {
      return keys.demand(this) && 'secret';
    }
    get extractable(): boolean {
      return keys.demand(this).extractable;
    }
    get algorithm(): object {
      const { hash, bytes } = keys.demand(this);
      return { name: 'HMAC', hash: { name: hash }, length: bytes.length * 8 };
    }
    get usages(): string[] {
      return [...keys.demand(this).usages];
    }
    get [Symbol.toStringTag](): string {
      return 'CryptoKey';
    }
  }
  const subtle = makeSubtle({
    capabilities,
    keys,
    makeKey: (key) => {
      const made: object = Object.create(CryptoKey.prototype);
      keys.give(made, key);
      return made;
    },
    refuse: (message) => new DOMException(message, 'NotSupportedError'),
  });
  const members = {
    subtle,
    getRandomValues: (array: unknown): unknown => {
      demand('crypto.getRandomValues');
      const view = integersOf(array);
      if (view === undefined) throw new TypeError('getRandomValues fills an array of integers');
      if (view.length > MAX_RANDOM_BYTES) {
        throw new DOMException(`${view.length} bytes are more than 65536`, 'QuotaExceededError');
      }
      capabilities.crypto.fillRandom(view);
      return array;
    },
    randomUUID: (): string => {
      demand('crypto.randomUUID');
      const bytes = new Uint8Array(16);
      capabilities.crypto.fillRandom(bytes);
      return formatUuid(bytes);
    },
  };
  Object.defineProperty(members, Symbol.toStringTag, { value: 'Crypto' });
  return {
    globals: { crypto: members },
    revoke: () => {
      if (state === 'held') state = 'revoked';
    },
    restore: () => {
      state = 'held';
      return undefined;
    },
  };
}

/** Bytes of one `getRandomValues`, as on the web. */
const MAX_RANDOM_BYTES = 65_536;

function neverGranted({ plugin, denied }: EndowmentCapabilities, wanted: string): Error {
  const error = new Error(
    `${plugin.id} may not use ${wanted}: plugins of its system have no cryptographic randomness. To fix this: pass an identifier in the tool's input, or use Math.random with the permission "random" for values that may be guessed.`,
  );
  // No permission gives it to them.
  denied('builtin', wanted, error);
  return withCode(error, 'BUILTIN_DENIED');
}

function integersOf(array: unknown): Uint8Array | undefined {
  if (!isObject(array) || !isTypedArray(array)) return undefined;
  return typedArrayName(array)?.startsWith('Float') === true ? undefined : viewBytes(array);
}

/** Version 4, variant 1. */
function formatUuid(bytes: Uint8Array): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([start, end]) => hex.slice(start, end))
    .join('-');
}

interface KeyState {
  readonly bytes: Uint8Array;
  readonly hash: DigestName;
  readonly extractable: boolean;
  readonly usages: readonly string[];
}

interface SubtleSpec {
  readonly capabilities: EndowmentCapabilities;
  readonly keys: Brand<KeyState>;
  readonly makeKey: (key: KeyState) => object;
  readonly refuse: (message: string) => Error;
}

/** `digest`, and HMAC with a key of raw bytes. Every other operation is not supported. */
function makeSubtle({ capabilities, keys, makeKey, refuse }: SubtleSpec): object {
  const digestNamed = (algorithm: unknown): DigestName => {
    const name = toText(isObject(algorithm) ? member(algorithm, 'name') : algorithm).toUpperCase();
    const known = DIGESTS.find((digest) => digest === name);
    if (known === undefined)
      throw refuse(`${name} is not supported. Use one of ${DIGESTS.join(', ')}.`);
    return known;
  };
  const demandHmac = (algorithm: unknown): void => {
    const name = toText(isObject(algorithm) ? member(algorithm, 'name') : algorithm);
    if (name.toUpperCase() !== 'HMAC') {
      throw refuse(`${name} is not supported. Plugins have HMAC and digests.`);
    }
  };
  const bytesOf = (data: unknown): Uint8Array => {
    const bytes = copyBytes(data);
    if (bytes === undefined) throw new TypeError('The data is not an ArrayBuffer or a view of one');
    return bytes;
  };
  const sign = (algorithm: unknown, key: unknown, data: unknown, usage: string): Uint8Array => {
    demandHmac(algorithm);
    const { bytes, hash, usages } = keys.demand(key);
    if (!usages.includes(usage)) throw new TypeError(`The key may not be used to ${usage}`);
    return capabilities.crypto.hmac(hash, bytes, bytesOf(data));
  };
  const unsupported = (name: string) => async (): Promise<never> => {
    throw refuse(`crypto.subtle.${name} is not supported. Plugins have HMAC and digests.`);
  };
  return {
    ...Object.fromEntries(UNSUPPORTED.map((name) => [name, unsupported(name)])),
    digest: async (algorithm: unknown, data: unknown): Promise<ArrayBufferLike> =>
      capabilities.crypto.digest(digestNamed(algorithm), bytesOf(data)).buffer,
    importKey: async (
      format: unknown,
      data: unknown,
      algorithm: unknown,
      extractable: unknown,
      usages: unknown,
    ): Promise<object> => {
      demandHmac(algorithm);
      if (toText(format) !== 'raw') throw refuse('Import a key of HMAC from its raw bytes.');
      return makeKey({
        bytes: bytesOf(data),
        hash: digestNamed(isObject(algorithm) ? member(algorithm, 'hash') : undefined),
        extractable: Boolean(extractable),
        usages: isIterable(usages) ? [...usages].map(toText) : [],
      });
    },
    exportKey: async (format: unknown, key: unknown): Promise<ArrayBufferLike> => {
      const { bytes, extractable } = keys.demand(key);
      if (toText(format) !== 'raw') throw refuse('Export a key of HMAC as raw bytes.');
      if (!extractable) throw new TypeError('The key is not extractable');
      return new Uint8Array(bytes).buffer;
    },
    sign: async (algorithm: unknown, key: unknown, data: unknown): Promise<ArrayBufferLike> =>
      sign(algorithm, key, data, 'sign').buffer,
    verify: async (
      algorithm: unknown,
      key: unknown,
      signature: unknown,
      data: unknown,
    ): Promise<boolean> => {
      const expected = sign(algorithm, key, data, 'verify');
      const given = bytesOf(signature);
      if (given.length !== expected.length) return false;
      return expected.reduce((all, byte, at) => all | (byte ^ (given[at] ?? 0)), 0) === 0;
    },
  };
}

const UNSUPPORTED = [
  'encrypt',
  'decrypt',
  'generateKey',
  'deriveKey',
  'deriveBits',
  'wrapKey',
  'unwrapKey',
];
