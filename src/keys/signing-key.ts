import {
  type KeyObject,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from 'node:crypto';
import { BulkheadError, messageOf } from '../errors.js';

/** An Ed25519 public key. */
export interface PublicKey {
  /** `ed25519-` and the first 32 hexadecimal digits of the sha256 of the key (SPKI, DER). */
  readonly id: string;
  /** SPKI as PEM. */
  readonly pem: string;
  /** Whether `signature` (64 bytes) is this key's signature of `data`. Never throws. */
  verify(data: string | Uint8Array, signature: Uint8Array): boolean;
}

/** An Ed25519 private key. */
export interface SigningKey {
  readonly id: string;
  readonly publicKey: PublicKey;
  /** The signature of `data`: 64 bytes. */
  sign(data: string | Uint8Array): Uint8Array;
}

/** A new key pair. `privatePem` is PKCS #8. */
export function makeSigningKey(): { readonly privatePem: string; readonly publicKey: PublicKey } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  return { privatePem: String(privatePem), publicKey: publicKeyOf(publicKey) };
}

/**
 * Reads a private key. Throws `INVALID_KEY` for other keys and texts.
 *
 * @param name the file of the text, for messages
 */
export function parseSigningKey(text: string, name: string): SigningKey {
  const block = blocksOf(text, 'PRIVATE KEY')[0];
  if (block === undefined) throw notAKey(name, 'private', 'it has no block BEGIN PRIVATE KEY');
  const key = readKey(() => createPrivateKey(block), name, 'private');
  const publicKey = publicKeyOf(createPublicKey(key));
  return {
    id: publicKey.id,
    publicKey,
    sign: (data) => sign(null, bytesOf(data), key),
  };
}

/** Public keys in one file: the current key first, then retired keys, which verify older signatures. */
const MAX_PUBLIC_KEYS = 100;

/**
 * Reads the public keys of a file. Text between the keys is ignored. Throws `INVALID_KEY` if one key is not
 * a public Ed25519 key, and if there is none.
 */
export function parsePublicKeys(text: string, name: string): readonly PublicKey[] {
  // Such a file would be given to others together with its secret.
  if (/BEGIN [A-Z ]*PRIVATE KEY/.test(text)) {
    throw notAKey(name, 'public', 'it contains a private key. Use the file that ends in .pub');
  }
  const blocks = blocksOf(text, 'PUBLIC KEY');
  if (blocks.length === 0) throw notAKey(name, 'public', 'it has no block BEGIN PUBLIC KEY');
  if (blocks.length > MAX_PUBLIC_KEYS) {
    throw notAKey(name, 'public', `it has more than ${MAX_PUBLIC_KEYS} keys`);
  }
  return blocks.map((block) => publicKeyOf(readKey(() => createPublicKey(block), name, 'public')));
}

/** The text of a file of public keys. `parsePublicKeys` reads it. */
export function formatPublicKeys(keys: readonly PublicKey[]): string {
  return keys
    .map(({ id, pem }, index) => `# ${id} (${index === 0 ? 'current' : 'retired'})\n${pem}`)
    .join('');
}

function publicKeyOf(key: KeyObject): PublicKey {
  const der = key.export({ type: 'spki', format: 'der' });
  return {
    id: `ed25519-${createHash('sha256').update(der).digest('hex').slice(0, 32)}`,
    pem: String(key.export({ type: 'spki', format: 'pem' })),
    verify: (data, signature) =>
      signature.length === SIGNATURE_BYTES && verify(null, bytesOf(data), key, signature),
  };
}

const SIGNATURE_BYTES = 64;

function blocksOf(text: string, label: string): readonly string[] {
  const block = new RegExp(`-----BEGIN ${label}-----[A-Za-z0-9+/=\\s]+-----END ${label}-----`, 'g');
  return text.match(block) ?? [];
}

function readKey(read: () => KeyObject, name: string, kind: 'private' | 'public'): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (error) {
    throw notAKey(name, kind, messageOf(error));
  }
  if (key.asymmetricKeyType !== 'ed25519') {
    throw notAKey(name, kind, `it is of the type ${key.asymmetricKeyType ?? 'unknown'}`);
  }
  return key;
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
}

function notAKey(name: string, kind: 'private' | 'public', why: string): BulkheadError {
  return new BulkheadError(
    'INVALID_KEY',
    `${name} is not a ${kind} Ed25519 key as PEM: ${why}. Create a key with \`bulkhead keys new sign\`.`,
    { file: name },
  );
}
