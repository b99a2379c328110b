import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyShapesIn } from '../../../src/plugin/artifact/key-shapes.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const pem = String(rsa.export({ type: 'pkcs1', format: 'pem' }));
const some = (length: number): string => 'aB3dE5fG7hJ9kL2mN4pQ6rS8tU'.repeat(9).slice(0, length);

const glue = (...parts: readonly string[]): string => parts.join('');

/** Put together here, so that this file has no key that a scanner would report. */
const KEYS: readonly [string, string][] = [
  ['a PEM file', String(privateKey.export({ type: 'pkcs8', format: 'pem' }))],
  ['a PEM file of RSA', pem],
  ['a PEM file in a string of code', JSON.stringify(pem)],
  ['a JWK', JSON.stringify(privateKey.export({ format: 'jwk' }))],
  ['AWS', glue('key = "AK', 'IAQ2W3E4R5T6Y7ABCD"')],
  ['GitHub', glue('ghp', '_', some(36))],
  ['GitHub, fine-grained', glue('github', '_pat_', some(60))],
  ['GitLab', glue('glp', 'at-', some(20))],
  ['npm', glue('//registry.npmjs.org/:_authToken=npm', '_', some(36))],
  ['Slack', glue('xo', 'xb-1234567890-', some(24))],
  ['Stripe', glue('sk', '_live_', some(24))],
  ['Google', glue('AI', 'za', some(35))],
  ['Anthropic', glue('sk', '-ant-api03-', some(60))],
  ['OpenAI', glue('sk', '-proj-', some(30), 'T3Blbk', 'FJ', some(30))],
  ['a JWT', glue('ey', 'J', some(30), '.eyJ', some(40), '.', some(43))],
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
