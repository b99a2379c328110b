import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Runner } from '../../src/entry-points/fleet.js';
import { sealEnvelope, type Envelope } from '../../src/fleet/envelope.js';
import { gatewayId, sealEpoch } from '../../src/fleet/epoch.js';
import type { Heartbeat } from '../../src/fleet/heartbeat.js';
import { readReply, type Reply } from '../../src/fleet/reply.js';
import { aboutSession, makeSessionParty } from '../../src/fleet/session.js';
import { hash12, subjectsOf, tenantToken } from '../../src/fleet/subjects.js';
import { readSigningKey } from '../../src/keys/key-file.js';
import { makeSigningKey, parseSigningKey, type SigningKey } from '../../src/keys/signing-key.js';
import { parseLock } from '../../src/lock/lock.js';
import { type Cell, makeCell } from './cell.js';
import { hasNats, startNats } from './nats-server.js';

const SAMPLE = {
  id: 'sample',
  tools: { echo: '(input) => input', hang: '() => new Promise(() => {})' },
};

type Head = Omit<Envelope, 'input' | 'protocol' | 'key'>;

describe.skipIf(!hasNats)('a runner that gets messages of a stranger', () => {
  let cell: Cell;
  let runner: Runner;
  let key: SigningKey;
  let connection: NatsConnection;
  let artifact: string;
  let digest: string;
  let number = Date.now();
  const session = makeSessionParty();
  const subjects = subjectsOf('main');

  const speak = (by: SigningKey = key, at = (number += 1)): void =>
    connection.publish(
      subjects.epoch('forger'),
      sealEpoch(by, {
        gateway: 'forger',
        cell: 'main',
        number: at,
        revoked: [],
        disabled: [],
        session: session.publicKey,
      }),
    );

  const head = (changes: Partial<Head> = {}): Head => ({
    version: '0.1.0',
    gateway: 'forger',
    cell: 'main',
    audience: 'runner-1',
    call: `call_${randomBytes(16).toString('hex')}`,
    attempt: 0,
    tool: 'sample:echo',
    artifact,
    digest,
    epoch: 1,
    expiresAtMs: Date.now() + 20_000,
    timeoutMs: 5_000,
    isolation: 'plugin',
    ...changes,
  });

  /** Sends a frame, and returns the last message of the answer. */
  const send = async (frame: Uint8Array, subject?: string): Promise<Reply | undefined> => {
    const message = await connection.request(
      subject ?? subjects.pin('runner-1', hash12(artifact)),
      frame,
      { timeout: 10_000 },
    );
    return readReply(message.string());
  };

  const call = async (changes: Partial<Head> = {}, subject?: string): Promise<string> => {
    const reply = await send(sealEnvelope(key, head(changes), '{"a":1}'), subject);
    return reply?.type === 'refused' ? reply.message : (reply?.type ?? 'no reply');
  };

  beforeAll(async () => {
    const { url } = await startNats();
    cell = await makeCell(url, [SAMPLE]);
    key = readSigningKey(cell.signKey);
    const gateway = await cell.gateway();
    digest = gateway.previewCall('echo', { a: 1 }).digest;
    const lock = parseLock(readFileSync(cell.lockFile, 'utf8'));
    artifact = lock.ok ? (lock.value.plugins['sample']?.artifact ?? '') : '';
    runner = await cell.runner();
    connection = await connect({ servers: url });
    // Until the runner has heard it.
    await vi.waitFor(
      async () => {
        speak();
        const answer = await call();
        if (answer !== 'result') throw new Error(answer);
      },
      { timeout: 20_000 },
    );
    const timer = setInterval(() => speak(), 500);
    return async () => {
      clearInterval(timer);
      await connection.close();
    };
  });

  it('runs what the gateway signed, once', async () => {
    const frame = sealEnvelope(key, head(), '{"a":1}');
    expect((await send(frame))?.type).toBe('result');
    expect(await send(frame)).toMatchObject({
      type: 'refused',
      message: expect.stringContaining('does not run twice'),
    });
  });

  it('refuses other keys, changed bytes and messages without a signature', async () => {
    const other = parseSigningKey(makeSigningKey().privatePem, 'other');
    const frame = sealEnvelope(key, head(), '{"a":1}');
    const changed = Uint8Array.from(frame);
    changed[changed.length - 3] = '2'.charCodeAt(0);
    // The same text under another purpose: a statement is not a call.
    const statement = sealEpoch(key, {
      gateway: 'forger',
      cell: 'main',
      number,
      revoked: [],
      disabled: [],
      session: '',
    });
    const frames = [
      sealEnvelope(other, head(), '{"a":1}'),
      changed,
      frame.subarray(65),
      frame.subarray(0, 65),
      new Uint8Array(),
      statement,
    ];
    for (const one of frames) {
      expect(await send(one)).toMatchObject({ type: 'refused', reason: 'not-trusted' });
    }
  });

  it('takes a call that its session with the gateway vouches for, and no other', async () => {
    const about = aboutSession('main', gatewayId({ key: key.id, gateway: 'forger' }), 'runner-1');
    const { session: other } = await new Promise<Heartbeat>((resolve) => {
      const subscription = connection.subscribe(subjects.heartbeat('runner-1'), {
        callback: (_error, message) => {
          const heard = message.json<Heartbeat>();
          if (!heard.sessions.includes(session.publicKey)) return;
          subscription.unsubscribe();
          resolve(heard);
        },
      });
    });
    const own = session.keyWith(other, about);
    const stranger = makeSessionParty().keyWith(other, about);
    const elsewhere = session.keyWith(other, about.replace('runner-1', 'runner-2'));
    if (own === undefined || stranger === undefined || elsewhere === undefined) {
      throw new Error('no session');
    }
    const frame = sealEnvelope(key, head(), '{"a":1}', own);
    expect((await send(frame))?.type).toBe('result');
    expect(await send(frame)).toMatchObject({ message: expect.stringContaining('run twice') });
    const changed = Uint8Array.from(sealEnvelope(key, head(), '{"a":1}', own));
    changed[changed.length - 3] = '2'.charCodeAt(0);
    for (const hostile of [
      changed,
      sealEnvelope(key, head(), '{"a":1}', stranger),
      sealEnvelope(key, head(), '{"a":1}', elsewhere),
      sealEnvelope(key, head({ gateway: 'quiet' }), '{"a":1}', own),
    ]) {
      expect(await send(hostile)).toMatchObject({ type: 'refused', reason: 'session' });
    }
  });

  it('refuses a call for another runner, cell, tenant or time', async () => {
    expect(await call({ audience: 'runner-2' })).toContain('sent to another runner');
    expect(await call({ audience: '*' })).toContain('sent to another runner');
    expect(await call({ cell: 'other' })).toContain('sent to another runner');
    expect(await call({ expiresAtMs: Date.now() - 1 })).toContain('has expired');
    expect(await call({ expiresAtMs: Date.now() + 3_600_000 })).toContain('has expired');
    const queue = subjects.call(tenantToken('bob'), hash12(artifact));
    expect(await call({ audience: '*', tenant: 'ada' }, queue)).toContain('another tenant');
    expect(await call({ version: '1.0.0' })).toContain('the same major version');
  });

  it('refuses a tenant that it does not serve, also if the call names the runner', async () => {
    const own = await cell.runner('runner-3', {}, { tenants: ['ada'] });
    const to = subjects.pin('runner-3', hash12(artifact));
    const ask = (tenant?: string): Promise<string> =>
      call({ audience: 'runner-3', ...(tenant === undefined ? {} : { tenant }) }, to);
    expect(await ask('bob')).toContain('does not serve the tenant');
    expect(await ask()).toContain('does not serve the tenant');
    await own.close();
  });

  it('refuses an artifact that only begins like the accepted one', async () => {
    const bytes = Buffer.from(artifact.slice(7), 'base64');
    bytes[63] = (bytes[63] ?? 0) ^ 1;
    const twin = `sha512-${bytes.toString('base64')}`;
    expect(hash12(twin)).toBe(hash12(artifact));
    expect(await call({ artifact: twin })).toContain('accepts another artifact');
  });

  it('refuses a call whose grant, configuration or input is not what was admitted', async () => {
    expect(await call({ digest: '0'.repeat(64) })).toContain('gives sample other permissions');
    expect(await call({ tenant: 'ada' })).toContain('gives sample other permissions');
  });

  it('refuses a call that may not share a guest as its calls do', async () => {
    const refusal = 'isolates the calls of sample by tenant, and this runner by plugin';
    expect(await call({ isolation: 'tenant' })).toContain(refusal);
    expect(await call({ isolation: 'call' })).toContain('by call, and this runner by plugin');
  });

  it('stops without a fresh statement of the gateway, and takes no old one', async () => {
    const deaf = await cell.runner('runner-2');
    const to = subjects.pin('runner-2', hash12(artifact));
    const ask = (): Promise<string> => call({ audience: 'runner-2', gateway: 'quiet' }, to);
    const say = (at: number): void =>
      connection.publish(
        subjects.epoch('quiet'),
        sealEpoch(key, {
          gateway: 'quiet',
          cell: 'main',
          number: at,
          revoked: [],
          disabled: [],
          session: '',
        }),
      );
    expect(await ask()).toContain('has not heard from the gateway');
    say(10);
    expect(await ask()).toBe('result');
    const { digest: own } = await previewOf('hang');
    const hung = send(
      sealEnvelope(
        key,
        head({
          audience: 'runner-2',
          gateway: 'quiet',
          tool: 'sample:hang',
          digest: own,
          timeoutMs: 60_000,
        }),
        '{}',
      ),
      to,
    );
    // An old statement, played back every 100 ms, does not keep the call alive.
    const replayed = setInterval(() => say(10), 100);
    try {
      const reply = await hung;
      expect(reply).toMatchObject({ type: 'result', result: { code: 'CANCELLED' } });
      expect(await ask()).toContain('has not heard from the gateway');
    } finally {
      clearInterval(replayed);
    }
    await deaf.close();
  });

  it('goes on after all of this', async () => {
    expect(await call()).toBe('result');
    expect(runner.callsUnderWay).toBe(0);
  });

  const previewOf = async (tool: string): Promise<{ readonly digest: string }> => {
    const gateway = await cell.gateway('previews');
    const preview = gateway.previewCall(tool, {});
    await gateway.close();
    return preview;
  };
});
