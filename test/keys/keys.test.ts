import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readPublicKeys, readSigningKey, requireKeyOutside } from '../../src/keys/key-file.js';
import { createKey, describeKey, rotateKey } from '../../src/keys/new-keys.js';
import { parsePublicKeys, parseSigningKey } from '../../src/keys/signing-key.js';
import { makeIdentity } from '../../src/remotes/identity.js';

const root = mkdtempSync(join(tmpdir(), 'bulkhead-keys-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const fileNamed = (name: string): string => join(root, `${(count += 1)}`, name);

describe('a signing key', () => {
  it('is not a public key: the error names the private one, not the mode of the file', () => {
    const file = fileNamed('sign.pem');
    createKey('sign', file);
    const given = (): unknown => readSigningKey(file.replace('.pem', '.pub'));
    expect(given).toThrow(`it is a public key. To fix this, name the private key, usually ${file}`);
  });

  it('verifies its own signature, and no other text or signature', () => {
    const file = fileNamed('sign.pem');
    createKey('sign', file);
    const key = readSigningKey(file);
    const signature = key.sign('text');
    const [publicKey] = readPublicKeys(file.replace('.pem', '.pub'));
    expect(publicKey?.id).toBe(key.id);
    expect(publicKey?.verify('text', signature)).toBe(true);
    expect(publicKey?.verify('Text', signature)).toBe(false);
    const flipped = Uint8Array.from(signature, (byte, at) => (at === 3 ? byte ^ 1 : byte));
    expect(publicKey?.verify('text', flipped)).toBe(false);
    expect(publicKey?.verify('text', signature.subarray(1))).toBe(false);
  });

  it('is in a file that only its owner can read, and is refused from another file', () => {
    const file = fileNamed('sign.pem');
    createKey('sign', file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o640);
    expect(() => readSigningKey(file)).toThrow(/mode 640.*chmod 600/s);
  });

  it('is not overwritten by a new key', () => {
    const file = fileNamed('sign.pem');
    createKey('sign', file);
    const before = readFileSync(file, 'utf8');
    expect(() => createKey('sign', file)).toThrow(/the file exists/);
    rmSync(file);
    // The public key of a lost private key still verifies.
    expect(() => createKey('sign', file)).toThrow(/the file exists/);
    writeFileSync(file, before, { mode: 0o600 });
    expect(readSigningKey(file).id).toBe(readPublicKeys(file.replace('.pem', '.pub'))[0]?.id);
  });

  it('leaves its public key as retired when it is rotated', () => {
    const file = fileNamed('sign.pem');
    createKey('sign', file);
    const first = readSigningKey(file);
    rotateKey(file);
    const second = readSigningKey(file);
    const { retired } = rotateKey(file);
    expect(retired).toEqual([second.id, first.id]);
    const keys = readPublicKeys(file.replace('.pem', '.pub'));
    expect(keys.map(({ id }) => id)).toEqual([readSigningKey(file).id, second.id, first.id]);
    expect(keys[2]?.verify('old', first.sign('old'))).toBe(true);
    expect(describeKey(file.replace('.pem', '.pub')).retired).toEqual([second.id, first.id]);
  });

  it('is an Ed25519 key and nothing else', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    expect(() => parseSigningKey(pem, 'a file')).toThrow(/type ec/);
    const spki = String(publicKey.export({ type: 'spki', format: 'pem' }));
    expect(() => parsePublicKeys(spki, 'a file')).toThrow(/type ec/);
    expect(() => parsePublicKeys(pem, 'a file')).toThrow(/contains a private key/);
    expect(() => parseSigningKey('no key', 'a file')).toThrow(/no block/);
    expect(() => readSigningKey(join(root, 'absent.pem'))).toThrow(/does not exist/);
  });

  it('is refused in the directory that it protects, also through a link', () => {
    const directory = join(root, 'protected');
    mkdirSync(directory);
    const link = join(root, 'link');
    symlinkSync(directory, link);
    expect(() => requireKeyOutside(join(directory, 'sign.pem'), directory)).toThrow(/outside/);
    expect(() => requireKeyOutside(join(link, 'new', 'sign.pem'), directory)).toThrow(/outside/);
    expect(() => requireKeyOutside(join(root, 'sign.pem'), directory)).not.toThrow();
  });
});

describe('an identity key', () => {
  it('keeps the public keys that it replaced, and the JWKS serves them', async () => {
    const file = fileNamed('identity.json');
    const { id: first } = createKey('identity', file);
    const { id: second, retired } = rotateKey(file);
    expect(retired).toEqual([first]);
    const text = readFileSync(file, 'utf8');
    const identity = makeIdentity({ issuer: 'https://host.example', key: JSON.parse(text) });
    const { keys } = await identity.jwks();
    expect(keys).toMatchObject([{ kid: second }, { kid: first }]);
    expect(JSON.stringify(keys)).not.toContain('"d"');
  });
});

describe('an operator token', () => {
  it('has 256 random bits and is replaced as a whole', () => {
    const file = fileNamed('token');
    createKey('token', file);
    const before = readFileSync(file, 'utf8');
    expect(before).toMatch(/^[\w-]{43}\n$/);
    rotateKey(file);
    expect(readFileSync(file, 'utf8')).not.toBe(before);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is not taken from a file of something else', () => {
    const file = fileNamed('notes.txt');
    mkdirSync(join(file, '..'));
    writeFileSync(file, 'a few words', { mode: 0o600 });
    expect(() => rotateKey(file)).toThrow(/not a key/);
    expect(readFileSync(file, 'utf8')).toBe('a few words');
  });
});
