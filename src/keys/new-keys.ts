import { BulkheadError } from '../errors.js';
import { makeIdentityKey, makeToken, parseIdentityKey } from './identity-key.js';
import {
  createKeyFile,
  isTaken,
  publicFileOf,
  readPublicKeys,
  readSecretFile,
  removeKeyFile,
  replaceKeyFile,
} from './key-file.js';
import {
  formatPublicKeys,
  makeSigningKey,
  parseSigningKey,
  type PublicKey,
} from './signing-key.js';

/** `sign`: Ed25519, for packs and audit logs. `token`: an operator's token. `identity`: P-256, for tokens that we sign. */
export type KeyKind = 'sign' | 'token' | 'identity';

/** A key as a person sees it: never the secret itself. */
export interface KeyInfo {
  readonly kind: KeyKind;
  readonly file: string;
  /** The key's id. A token has none. */
  readonly id?: string;
  /** The file of the public keys, if the kind has one. */
  readonly publicFile?: string;
  /** Ids of retired public keys that still verify. */
  readonly retired?: readonly string[];
}

/** Creates a key in a new file with the mode 0600. Throws `INVALID_KEY` if the file exists. */
export function createKey(kind: KeyKind, file: string): KeyInfo {
  switch (kind) {
    case 'sign': {
      const { privatePem, publicKey } = makeSigningKey();
      const publicFile = publicFileOf(file);
      // The public file of a lost private key still verifies, so it is not overwritten either.
      createKeyFile(publicFile, formatPublicKeys([publicKey]), 0o644);
      try {
        createKeyFile(file, privatePem);
      } catch (error) {
        removeKeyFile(publicFile);
        throw error;
      }
      return { kind, file, id: publicKey.id, publicFile };
    }
    case 'identity': {
      const key = makeIdentityKey();
      createKeyFile(file, `${JSON.stringify(key, undefined, 2)}\n`);
      return { kind, file, id: key.kid };
    }
    case 'token':
      createKeyFile(file, `${makeToken()}\n`);
      return { kind, file };
  }
}

/** Replaces the key of a file by a new key of the same kind. Public keys stay, as retired. */
export function rotateKey(file: string): KeyInfo {
  const text = readSecretFile(file);
  const kind = kindOf(text, file);
  switch (kind) {
    case 'sign': {
      const before = parseSigningKey(text, file).publicKey;
      const { privatePem, publicKey } = makeSigningKey();
      const retired = retiredOf(file, before);
      const publicFile = publicFileOf(file);
      // The public key comes first: a signature without its public key could not be verified.
      replaceKeyFile(publicFile, formatPublicKeys([publicKey, ...retired]), 0o644);
      replaceKeyFile(file, privatePem, 0o600);
      return { kind, file, id: publicKey.id, publicFile, retired: retired.map(({ id }) => id) };
    }
    case 'identity': {
      const key = makeIdentityKey(parseIdentityKey(text, file));
      replaceKeyFile(file, `${JSON.stringify(key, undefined, 2)}\n`, 0o600);
      return { kind, file, id: key.kid, retired: (key.previous ?? []).map(({ kid }) => kid) };
    }
    case 'token':
      replaceKeyFile(file, `${makeToken()}\n`, 0o600);
      return { kind, file };
  }
}

/** Describes a private or public key's file. */
export function describeKey(file: string): KeyInfo {
  if (file.endsWith('.pub')) {
    const [key, ...retired] = readPublicKeys(file);
    return {
      kind: 'sign',
      file,
      ...(key === undefined ? {} : { id: key.id }),
      retired: retired.map(({ id }) => id),
    };
  }
  const text = readSecretFile(file);
  const kind = kindOf(text, file);
  if (kind === 'token') return { kind, file };
  const id = kind === 'sign' ? parseSigningKey(text, file).id : parseIdentityKey(text, file).kid;
  return { kind, file, id };
}

/** The public keys of the file before the rotation, with the current one first. */
function retiredOf(file: string, before: PublicKey): readonly PublicKey[] {
  const publicFile = publicFileOf(file);
  const known = isTaken(publicFile) ? readPublicKeys(publicFile) : [];
  return [before, ...known.filter(({ id }) => id !== before.id)];
}

function kindOf(text: string, file: string): KeyKind {
  if (text.includes('-----BEGIN')) return 'sign';
  if (text.trimStart().startsWith('{')) return 'identity';
  if (/^[\x21-\x7e]{16,}$/.test(text.trim())) return 'token';
  throw new BulkheadError(
    'INVALID_KEY',
    `${file} is not a key, an identity or a token of at least 16 characters. Create one with \`bulkhead keys new\`.`,
    { file },
  );
}
