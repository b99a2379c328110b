import { createHash, createHmac, randomFillSync } from 'node:crypto';
import type { CryptoCapability, DigestName } from '../endowments/endowment.js';

/** Node's names of the web's digests. */
const NAMES: Readonly<Record<DigestName, string>> = {
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};

/** Hashes and the system's randomness, as functions on bytes. */
export const cryptoCapability: CryptoCapability = {
  // guard: crypto-random-from-system
  fillRandom: (bytes) => void randomFillSync(bytes),
  digest: (name, bytes) => own(createHash(NAMES[name]).update(bytes).digest()),
  hmac: (name, key, bytes) => own(createHmac(NAMES[name], key).update(bytes).digest()),
};

/** A copy in a buffer of its own: Node's buffers share one. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
