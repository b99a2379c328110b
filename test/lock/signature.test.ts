import { describe, expect, it } from 'vitest';
import { makeSigningKey, parseSigningKey, type SigningKey } from '../../src/keys/signing-key.js';
import { signArtifact, verifyArtifact } from '../../src/lock/signature.js';
import { formatTrust, parseTrust, whyRefused } from '../../src/lock/trust.js';
import { type Artifact, makeArtifact } from '../../src/plugin/artifact/artifact.js';

const artifactOf = (id: string, version: string): Artifact =>
  makeArtifact(
    {
      id,
      format: 'pandora',
      directory: '/d',
      manifest: 'm.json',
      name: id,
      version,
      description: undefined,
      about: {},
      entries: [],
      environment: [],
      config: [],
    },
    {},
  );

const newKey = (): SigningKey => parseSigningKey(makeSigningKey().privatePem, 'a key');

describe('the signature of an artifact', () => {
  const key = newKey();
  const artifact = artifactOf('notes', '1.0.0');
  const envelope = signArtifact(artifact, key);
  const verify = (one: Artifact, text = envelope, keys = [key.publicKey]): string =>
    verifyArtifact(one, text, keys, 'a pack').id;

  it('is of the key that signed it', () => {
    expect(verify(artifact)).toBe(key.id);
    expect(verify(artifact, envelope, [newKey().publicKey, key.publicKey])).toBe(key.id);
  });

  it('is refused for another plugin, another version and another key', () => {
    expect(() => verify(artifactOf('other', '1.0.0'))).toThrow(/is for notes@1.0.0/);
    expect(() => verify(artifactOf('notes', '1.0.1'))).toThrow(/is for notes@1.0.0/);
    expect(() => verify(artifact, envelope, [newKey().publicKey])).toThrow(/no valid signature/);
    expect(() => verify(artifact, envelope, [])).toThrow(/no valid signature/);
  });

  it('is refused with a key id that another key used', () => {
    const forged = JSON.parse(signArtifact(artifact, newKey()));
    forged.signatures[0].keyid = key.id;
    expect(() => verify(artifact, JSON.stringify(forged))).toThrow(/no valid signature/);
  });

  it.each<
    [string, (envelope: { payload: string; payloadType: string; signatures: unknown[] }) => void]
  >([
    ['another payload type', (one) => (one.payloadType = 'text/plain')],
    ['no signature', (one) => (one.signatures = [])],
    ['many signatures', (one) => (one.signatures = Array(11).fill(one.signatures[0]))],
    ['base64 that is not canonical', (one) => (one.payload += '=')],
    ['another payload', (one) => (one.payload = Buffer.from('{}').toString('base64'))],
  ])('is refused in an envelope with %s', (_, edit) => {
    const changed = JSON.parse(envelope);
    edit(changed);
    expect(() => verify(artifact, JSON.stringify(changed))).toThrow(
      expect.objectContaining({ code: 'INVALID_ARTIFACT' }),
    );
  });

  it('is refused in a text that is not an envelope', () => {
    for (const text of ['', '[]', '{', 'x'.repeat(100_000)]) {
      expect(() => verify(artifact, text)).toThrow(/not a DSSE envelope/);
    }
  });
});

describe('the trust rules', () => {
  const [ada, eve] = [newKey(), newKey()];
  const hash = `sha512-${'A'.repeat(86)}==`;
  const trust = parseTrust(
    formatTrust({
      version: 1,
      requiredKeys: { '*': [ada.publicKey.pem], free: [], own: [eve.publicKey.pem] },
      revokedArtifacts: [hash],
    }),
    'trust.json',
  );
  const other = hash.replace('A', 'B');

  it('require the keys of a plugin, else those of all plugins', () => {
    expect(whyRefused(trust, 'any', { hash: other, signer: ada.id })).toBeUndefined();
    expect(whyRefused(trust, 'any', { hash: other, signer: eve.id })).toMatch(/is required, and/);
    expect(whyRefused(trust, 'any', { hash: other, signer: undefined })).toMatch(
      /none was accepted/,
    );
    expect(whyRefused(trust, 'own', { hash: other, signer: eve.id })).toBeUndefined();
    expect(whyRefused(trust, 'own', { hash: other, signer: ada.id })).toMatch(/is required/);
  });

  it('refuse revoked artifacts and keys', () => {
    expect(whyRefused(trust, 'any', { hash, signer: ada.id })).toMatch(/is revoked/);
    const revoked = { ...trust, revokedKeys: [ada.id] };
    expect(whyRefused(revoked, 'any', { hash: other, signer: ada.id })).toMatch(
      /key .* is revoked/,
    );
  });

  it.each([
    '{"version":2}',
    '{"version":1,"revokedKey":[]}',
    '{"version":1,"revokedKeys":["x"]}',
    '{"version":1,"requiredKeys":{"*":["no key"]}}',
    '{"version":1,"revokedArtifacts":["sha256-x"]}',
    'no JSON',
  ])('are refused as a whole with an error: %s', (text) => {
    expect(() => parseTrust(text, 'trust.json')).toThrow(
      expect.objectContaining({ code: 'INVALID_TRUST' }),
    );
  });
});
