import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeCommandSigner } from '../../src/audit/disk/signer.js';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import { checkpointEveryOf, signerOf } from '../../src/audit/options.js';
import { queryStore } from '../../src/audit/query.js';
import { verify } from '../../src/audit/verify.js';
import { formatPublicKeys, makeSigningKey } from '../../src/keys/signing-key.js';
import { callEvents, freshDirectory, gather, openLog, typesOf } from './logs.js';
import { newSigner, parseLine, signedLog } from './signed.js';

/** A directory with a key pair. */
function keyFiles(): { directory: string; privateFile: string; publicFile: string } {
  const directory = freshDirectory();
  mkdirSync(directory);
  const { privatePem, publicKey } = makeSigningKey();
  const [privateFile, publicFile] = [join(directory, 'sign.pem'), join(directory, 'sign.pub')];
  writeFileSync(privateFile, privatePem);
  chmodSync(privateFile, 0o600);
  writeFileSync(publicFile, formatPublicKeys([publicKey]));
  return { directory, privateFile, publicFile };
}

describe('a signed audit log', () => {
  it('has a checkpoint every checkpointEvery records and at its close', async () => {
    const log = await signedLog(4);
    const records = log.lines().map(parseLine);
    const checkpoints = records.filter(({ type }) => type === 'checkpoint');
    expect(checkpoints.length).toBeGreaterThan(2);
    expect(typesOf(records).slice(-2)).toEqual(['log-closed', 'checkpoint']);
    const verdict = await verify(makeJsonlStore(log.path).read(), {
      keys: [log.signer.publicKey],
    });
    expect(verdict).toMatchObject({ ok: true, attested: records.length, unattested: 0, notes: [] });
  });

  it('counts records after the last signature as unattested, for good', async () => {
    const log = await signedLog(2);
    const count = log.lines().length;
    // A writer without the key, such as a process that was killed before its signature.
    const unsigned = await openLog(makeJsonlStore(log.path));
    for (const event of callEvents('x')) unsigned.listener(event);
    await unsigned.close();
    await log.write(1);
    const keys = [log.signer.publicKey];
    const check = (acceptUnattested: boolean) =>
      verify(makeJsonlStore(log.path).read(), { keys, acceptUnattested });
    expect(await check(false)).toMatchObject({ ok: false, kind: 'unattested', seq: count + 1 });
    const accepted = await check(true);
    expect(accepted).toMatchObject({ ok: true, unattested: 5 });
    expect(accepted.ok && accepted.notes.join()).toContain('no signature vouches for 5 of');
    const records = await gather(queryStore(makeJsonlStore(log.path), { types: ['unattested'] }));
    expect(records).toMatchObject([{ since: count + 1, through: count + 5 }]);
  });

  it('is not vouched for by a checkpoint that names earlier records of another writer', async () => {
    const log = await signedLog(2);
    const sinces = log
      .lines()
      .map(parseLine)
      .flatMap((record) => (record.type === 'checkpoint' ? [record.since] : []));
    expect(sinces[0]).toBe(1);
    expect(new Set(sinces).size).toBe(sinces.length);
  });

  it('verifies with the keys before and after a rotation', async () => {
    const log = await signedLog(1);
    const next = newSigner(freshDirectory());
    await log.write(1, { signer: next });
    const check = (keys: Parameters<typeof verify>[1]) =>
      verify(makeJsonlStore(log.path).read(), keys);
    const both = [next.publicKey, log.signer.publicKey];
    expect(await check({ keys: both })).toMatchObject({ ok: true });
    const one = await check({ keys: [next.publicKey] });
    expect(one).toMatchObject({ ok: false, kind: 'unattested' });
    expect(!one.ok && one.message).toContain(log.signer.publicKey.id);
  });

  it('goes on without signatures while they fail, and signs everything later', async () => {
    const directory = freshDirectory();
    const signer = newSigner(directory);
    let broken = true;
    const failures: string[] = [];
    const path = join(directory, 'log', 'audit.jsonl');
    const log = await openLog(makeJsonlStore(path), {
      checkpointEvery: 2,
      signer: {
        publicKey: signer.publicKey,
        sign: (text) => (broken ? Promise.reject(new Error('no card')) : signer.sign(text)),
      },
      onFailure: ({ message }) => failures.push(message),
    });
    for (const event of callEvents('a')) log.listener(event);
    await log.flush();
    expect(failures[0]).toContain(
      'could not be signed, so its last records are not attested: no card',
    );
    broken = false;
    await log.close();
    const keys = [signer.publicKey];
    expect(await verify(makeJsonlStore(path).read(), { keys })).toMatchObject({ ok: true });
  });
});

describe('the key of an audit log', () => {
  it('is a private key file of mode 0600, outside the directory of the log', () => {
    const { directory, privateFile } = keyFiles();
    const file = join(directory, 'audit.jsonl');
    expect(() => signerOf({ file, signKey: privateFile })).toThrow('which the key protects');
    const outside = join(freshDirectory(), 'audit.jsonl');
    mkdirSync(join(outside, '..'));
    expect(signerOf({ file: outside, signKey: privateFile })?.publicKey.id).toMatch(/^ed25519-/);
    chmodSync(privateFile, 0o644);
    expect(() => signerOf({ file: outside, signKey: privateFile })).toThrow('chmod 600');
  });

  it('may be used by a command, whose signatures are verified', async () => {
    const { privateFile, publicFile } = keyFiles();
    const program = (code: string) => [
      process.execPath,
      '-e',
      `const { createPrivateKey, sign } = require('node:crypto'); const fs = require('node:fs'); ${code}`,
    ];
    const signing = program(
      `process.stdout.write(sign(null, fs.readFileSync(0), createPrivateKey(fs.readFileSync(${JSON.stringify(privateFile)}))).toString('base64'))`,
    );
    const signer = makeCommandSigner(signing, publicFile);
    expect((await signer.sign('text')).length).toBe(64);
    const wrong = makeCommandSigner(program(`process.stdout.write('AAAA')`), publicFile);
    await expect(wrong.sign('text')).rejects.toThrow('is not a signature of the key');
    const failing = makeCommandSigner(program('process.exit(3)'), publicFile);
    await expect(failing.sign('text')).rejects.toThrow('status 3');
    const missing = makeCommandSigner(['/no/such/program'], publicFile);
    await expect(missing.sign('text')).rejects.toThrow('ENOENT');
  });

  it.each([
    [{ signKey: 'a', signCommand: ['b'] }, 'are both set'],
    [{ signCommand: ['b'] }, 'audit.publicKey is missing'],
  ])('is configured as %j', (options, message) => {
    expect(() => signerOf({ file: 'audit.jsonl', ...options })).toThrow(message);
  });

  it('signs at an interval of whole records', () => {
    expect(checkpointEveryOf({})).toBe(1_000);
    for (const checkpointEvery of [0, 1.5, NaN])
      expect(() => checkpointEveryOf({ checkpointEvery })).toThrow('Use a whole number from 1 on');
  });
});
