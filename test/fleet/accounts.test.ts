import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, credsAuthenticator, nkeys } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { heardOf, makeCell } from './cell.js';
import { hasNats, startNats } from './nats-server.js';

const SAMPLE = { id: 'sample', tools: { echo: '(input) => input' } };

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** A token of NATS' JWTs, as its tool `nsc` creates it. */
function tokenOf(issuer: KeyPair, subject: KeyPair, name: string, nats: object): string {
  const encode = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = encode({ typ: 'JWT', alg: 'ed25519-nkey' });
  const claims = encode({
    jti: randomBytes(16).toString('hex'),
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name,
    nats: { ...nats, version: 2 },
  });
  const signature = issuer.sign(Buffer.from(`${head}.${claims}`));
  return `${head}.${claims}.${Buffer.from(signature).toString('base64url')}`;
}

const UNLIMITED = {
  subs: -1,
  data: -1,
  payload: -1,
  imports: -1,
  exports: -1,
  wildcards: true,
  conn: -1,
  leaf: -1,
};
const STORAGE = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };

describe.skipIf(!hasNats)('two accounts of one server, with JWTs', () => {
  it('have fleets that do not see one another, also with the same names', async () => {
    const operator = nkeys.createOperator();
    const system = nkeys.createAccount();
    const accounts = { ada: nkeys.createAccount(), bob: nkeys.createAccount() };
    const lineOf = (key: KeyPair, name: string, limits: object): string =>
      `${key.getPublicKey()}: ${tokenOf(operator, key, name, { type: 'account', limits })}`;
    const lines = [
      lineOf(system, 'SYS', UNLIMITED),
      lineOf(accounts.ada, 'ada', { ...UNLIMITED, ...STORAGE }),
      lineOf(accounts.bob, 'bob', { ...UNLIMITED, ...STORAGE }),
    ];
    const operatorToken = tokenOf(operator, operator, 'operator', { type: 'operator' });
    const { url } = await startNats(
      `operator: ${operatorToken}\nsystem_account: ${system.getPublicKey()}\nresolver: MEMORY\nresolver_preload: {\n${lines.join('\n')}\n}\n`,
    );
    const directory = makeDirectory();
    const credentialsOf = (account: 'ada' | 'bob', name: string): string => {
      const user = nkeys.createUser();
      const limits = { subs: -1, data: -1, payload: -1 };
      const token = tokenOf(accounts[account], user, name, { type: 'user', ...limits });
      const seed = Buffer.from(user.getSeed()).toString();
      const file = join(directory, `${account}-${name}.creds`);
      writeFileSync(
        file,
        `-----BEGIN NATS USER JWT-----\n${token}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
        { mode: 0o600 },
      );
      return file;
    };
    const cell = await makeCell(url, [SAMPLE]);
    const fleetOf = (account: 'ada' | 'bob', name: string) => ({
      credentialsFile: credentialsOf(account, name),
    });
    const ada = await cell.gateway('gate-1', {}, fleetOf('ada', 'gate-1'));
    const bob = await cell.gateway('gate-1', {}, fleetOf('bob', 'gate-1'));
    await cell.runner('runner-1', {}, fleetOf('ada', 'runner-1'));
    await heardOf(ada, 'runner-1');

    expect((await bob.call('echo', {})).code).toBe('FLEET_FAILED');
    // A user of the other account with no limits at all.
    const stranger = await connect({
      servers: url,
      authenticator: credsAuthenticator(readFileSync(credentialsOf('bob', 'stranger'))),
    });
    const seen: string[] = [];
    stranger.subscribe('>', {
      callback: (_error, message) => {
        seen.push(`${message.subject} ${message.string()}`);
      },
    });
    await stranger.flush();
    const result = await ada.call('echo', { secret: 'of ada' });
    expect(result.value).toEqual({ secret: 'of ada' });
    expect(bob.runners()).toEqual([]);
    await stranger.flush();
    expect(seen.filter((text) => text.includes('of ada'))).toEqual([]);
    expect(seen.filter((text) => text.startsWith('bh.main.hb.'))).toEqual([]);
    expect(await bob.verifyAudit()).toEqual([]);
    expect((await ada.verifyAudit()).map(({ runner }) => runner)).toEqual(['runner-1']);
    await expect(
      cell.runner('runner-2', {}, { credentialsFile: join(directory, 'none.creds') }),
    ).rejects.toMatchObject({ code: 'INVALID_KEY' });
    await stranger.close();
  });
});
