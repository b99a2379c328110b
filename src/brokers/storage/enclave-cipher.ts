import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { BulkheadError } from '../../errors.js';

/** Encrypts the values of enclaves, each bound to its place: another place cannot use it. */
export interface EnclaveCipher {
  seal(value: Uint8Array, place: string): Buffer;
  /** Throws `STORAGE_FAILED` for a value of another key or place, or that was changed. */
  open(sealed: Uint8Array, place: string): Buffer;
}

/**
 * ```
 *   "BHE1"  id of the key (8 bytes)  nonce (12)  tag (16)  AES-256-GCM of the value
 * ```
 */
const MAGIC = Buffer.from('BHE1');
const ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = MAGIC.length + ID_BYTES + NONCE_BYTES + TAG_BYTES;

/** `keys`: 32 bytes each. The first encrypts; all decrypt. */
export function makeEnclaveCipher(keys: readonly Uint8Array[]): EnclaveCipher {
  const known = keys.map((key) => ({ key, id: idOf(key) }));
  const [current] = known;
  return {
    seal: (value, place) => {
      if (current === undefined) throw failed(place, 'there is no key');
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(Buffer.from(place));
      const text = Buffer.concat([cipher.update(value), cipher.final()]);
      return Buffer.concat([MAGIC, current.id, nonce, cipher.getAuthTag(), text]);
    },
    open: (sealed, place) => {
      const bytes = Buffer.from(sealed);
      // A value from before values were encrypted. The next write encrypts it.
      if (bytes.length < HEAD_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return bytes;
      let at = MAGIC.length;
      const take = (count: number): Buffer => bytes.subarray(at, (at += count));
      const [id, nonce, tag] = [take(ID_BYTES), take(NONCE_BYTES), take(TAG_BYTES)];
      const used = known.find((one) => one.id.equals(id));
      if (used === undefined) throw failed(place, 'its key is not among those of the operator');
      try {
        const decipher = createDecipheriv('aes-256-gcm', used.key, nonce);
        decipher.setAAD(Buffer.from(place)).setAuthTag(tag);
        // guard: enclave-value-authenticated
        return Buffer.concat([decipher.update(bytes.subarray(at)), decipher.final()]);
      } catch {
        throw failed(place, 'it was changed, or belongs to another place');
      }
    },
  };
}

function idOf(key: Uint8Array): Buffer {
  return createHash('sha256')
    .update('bulkhead enclave key')
    .update(key)
    .digest()
    .subarray(0, ID_BYTES);
}

function failed(place: string, why: string): BulkheadError {
  return new BulkheadError(
    'STORAGE_FAILED',
    `EIO: the enclave value ${place} cannot be used: ${why}.`,
    { path: place },
  );
}
