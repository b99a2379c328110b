import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyShapesIn } from '../../../src/plugin/artifact/key-shapes.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const pem = String(rsa.export({ type: 'pkcs1', format: 'pem' }));
const some = (length: number): string => 'aB3dE5fG7hJ9kL2mN4pQ6rS8tU'.repeat(9).slice(0, length);

/** Built here, so that this file has no key that a scanner would report. */
const KEYS: readonly [string, string][] = [
  ['a PEM file', String(privateKey.export({ type: 'pkcs8', format: 'pem' }))],
  ['a PEM file of RSA', pem],
  ['a PEM file in a string of code', JSON.stringify(pem)],
  ['a JWK', JSON.stringify(privateKey.export({ format: 'jwk' }))],
  ['AWS', `key = "AK${'IA'}Q2W3E4R5T6Y7ABCD"`],
  ['GitHub', `ghp${'_'}${some(36)}`],
  ['GitHub, fine-grained', `github${'_pat'}_${some(60)}`],
  ['npm', `//registry.npmjs.org/:_authToken=npm${'_'}${some(36)}`],
  ['Slack', `xoxb${'-'}1234567890-${some(24)}`],
  ['Stripe', `sk${'_live'}_${some(24)}`],
  ['Google', `AIza${some(35)}`],
  ['Anthropic', `sk${'-ant'}-api03-${some(60)}`],
  ['OpenAI', `sk${'-proj'}-${some(30)}T3Blbk${'FJ'}${some(30)}`],
  ['a JWT', `eyJ${some(30)}.eyJ${some(40)}.${some(43)}`],
];

describe('a text with a secret', () => {
  it.each(KEYS)('is recognised: %s', (_, text) => {
    expect(keyShapesIn(`const a = 1;\n${text}\n`)).toHaveLength(1);
  });

  it.each([
    ['a public key', String(publicKey.export({ type: 'spki', format: 'pem' }))],
    ['a public JWK', JSON.stringify(publicKey.export({ format: 'jwk' }))],
    ['the header alone', "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) return text;"],
    [
      'a pattern for it',
      'const PEM = /-----BEGIN (.*)-----/; const END = "-----END PRIVATE KEY-----";',
    ],
    ['an integrity', `"integrity": "sha512-${some(86)}=="`],
    ['a placeholder', 'Authorization: Bearer sk-…; ghp_xxxx; AKIA…'],
  ])('is not seen in %s', (_, text) => {
    expect(keyShapesIn(text)).toEqual([]);
  });
});
