import {
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { hash } from '../hash.js';

/**
 * One side of the keys that a gateway and a runner agree on (X25519), so that a call needs no signature. The
 * gateway states its public key in its signed statement, so only the gateway and the runner itself
 * can make a code that the runner accepts. A runner's public key is unsigned: a call for a forged one is a
 * call that the runner refuses.
 */
export interface SessionParty {
  /** The public key in base64. Another one after each start. */
  readonly publicKey: string;
  /** The key with another side; `undefined` if its public key is not one. `about`: both sides and their cell. */
  keyWith(publicKey: string, about: string): SessionKey | undefined;
}

export interface SessionKey {
  /** 32 bytes of HMAC-SHA256. */
  mac(bytes: Uint8Array): Buffer;
  verify(bytes: Uint8Array, mac: Uint8Array): boolean;
}

export const MAC_BYTES = 32;

/** Keys that are remembered. Computing one takes a fraction of a millisecond. */
const MAX_KEYS = 1_000;

export function makeSessionParty(): SessionParty {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const keys = new Map<string, SessionKey | undefined>();
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    keyWith: (other, about) => {
      const name = `${other} ${about}`;
      if (keys.has(name)) return keys.get(name);
      if (keys.size >= MAX_KEYS) keys.clear();
      const key = agree(privateKey, other, about);
      keys.set(name, key);
      return key;
    },
  };
}

/** What a key is for. */
export function aboutSession(cell: string, gateway: string, runner: string): string {
  return `bulkhead-fleet-session\n${cell}\n${gateway}\n${runner}`;
}

function agree(privateKey: KeyObject, other: string, about: string): SessionKey | undefined {
  let shared: Buffer;
  try {
    const publicKey = createPublicKey({
      key: Buffer.from(other, 'base64'),
      format: 'der',
      type: 'spki',
    });
    if (publicKey.asymmetricKeyType !== 'x25519') return undefined;
    shared = diffieHellman({ privateKey, publicKey });
  } catch {
    return undefined;
  }
  const mac = makeHmac(Buffer.from(hkdfSync('sha256', shared, '', about, 32)));
  return {
    mac,
    verify: (bytes, given) => given.length === MAC_BYTES && timingSafeEqual(mac(bytes), given),
  };
}

/** Bytes of a block of SHA-256. */
const BLOCK_BYTES = 64;

/** For most messages, so that each of them needs no memory of its own. */
const SCRATCH_BYTES = 16 * 1024;
const scratch = Buffer.alloc(SCRATCH_BYTES);

/**
 * HMAC-SHA256 (RFC 2104) with a key of 32 bytes. For the garbage collector, the objects of `createHmac` are a third
 * of the cost of a call.
 */
export function makeHmac(key: Uint8Array): (bytes: Uint8Array) => Buffer {
  const inner = Buffer.alloc(BLOCK_BYTES, 0x36);
  const outer = Buffer.alloc(BLOCK_BYTES + MAC_BYTES, 0x5c);
  for (const [at, byte] of key.entries()) {
    inner[at] = 0x36 ^ byte;
    outer[at] = 0x5c ^ byte;
  }
  return (bytes) => {
    const end = BLOCK_BYTES + bytes.length;
    const text = end <= SCRATCH_BYTES ? scratch.subarray(0, end) : Buffer.allocUnsafe(end);
    inner.copy(text);
    text.set(bytes, BLOCK_BYTES);
    outer.write(hash('sha256', text, 'binary'), BLOCK_BYTES, 'latin1');
    return Buffer.from(hash('sha256', outer, 'binary'), 'latin1');
  };
}
