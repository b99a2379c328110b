import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApprovalRequest, textOf } from '../../src/index.js';
import type { Gateway } from '../../src/entry-points/fleet.js';
import { sealFrame } from '../../src/fleet/frame.js';
import { readSigningKey } from '../../src/keys/key-file.js';
import { makeSigningKey, parseSigningKey, type SigningKey } from '../../src/keys/signing-key.js';
import { type Cell, heardOf, makeCell } from './cell.js';
import { hasNats, startNats } from './nats-server.js';

const POSTER = {
  id: 'poster',
  permissions: { network: ['api.test'] },
  tools: {
    post: "async ({ text }) => (await fetch('http://api.test/notes?key=1', { method: 'POST', body: text })).status",
    read: "async () => (await fetch('http://api.test/notes')).status",
  },
};
const LENDER = {
  id: 'lender',
  permissions: { powers: ['vault'], time: true },
  tools: {
    open: '(input) => powers.open(input)',
    mirror:
      '({ size }) => powers.mirror({ bytes: new Uint8Array(size).fill(7) }).then(({ bytes }) => [bytes.length, bytes[size - 1]])',
    secret: '() => powers.secret({})',
    // Both calls run from before the power is used until after that, also on a slow machine.
    late: `async () => {
      const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      await wait(1_500);
      const use = powers.open({ door: 'late' }).then(() => 'used', (error) => error.message);
      await wait(3_000);
      return use;
    }`,
  },
};

describe.skipIf(!hasNats)('what a runner asks its gateway', () => {
  let cell: Cell;
  let gateway: Gateway;
  let audited: Gateway;
  let connection: NatsConnection;
  let verdict: 'deny' | 'once' = 'once';
  let waitMs = 0;
  const asked: ApprovalRequest[] = [];
  const sent: string[] = [];
  const used: object[] = [];
  const effects: string[] = [];

  beforeAll(async () => {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += String(chunk)));
      request.on('end', () => {
        sent.push(`${request.method ?? ''} ${body}`);
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const network = { overrides: [{ host: 'api.test', url: `http://127.0.0.1:${port}` }] };
    const powers = [
      {
        name: 'open',
        permission: 'vault',
        risk: 'low' as const,
        arguments: { type: 'object', required: ['door'], properties: { door: { type: 'string' } } },
        handler: (args: unknown, context: { plugin: string; call?: string }) => {
          used.push({ args, plugin: context.plugin, call: context.call });
          return { opened: true, by: process.pid };
        },
      },
      {
        name: 'mirror',
        permission: 'vault',
        risk: 'low' as const,
        handler: (args: unknown) => args,
      },
      { name: 'secret', permission: 'other', risk: 'low' as const, handler: () => 'secret' },
    ];
    const { url } = await startNats();
    cell = await makeCell(url, [POSTER, LENDER]);
    gateway = await cell.gateway('gate-1', {
      network,
      powers,
      approve: async (request) => {
        asked.push(request);
        if (waitMs > 0) await setTimeout(waitMs);
        return verdict;
      },
    });
    audited = await cell.gateway('gate-2', {
      network,
      powers,
      onEvent: (event) => {
        if (event.type === 'effect-undeclared') effects.push(event.effect);
      },
    });
    await cell.runner('runner-1', { network });
    await Promise.all([heardOf(gateway, 'runner-1'), heardOf(audited, 'runner-1')]);
    connection = await connect({ servers: url });
    return async () => {
      await connection.close();
      server.close();
    };
  });

  it('is the approval of an undeclared write, with all that an approver sees', async () => {
    const result = await gateway.call('post', { text: 'hello' }, { tenant: 'ada' });
    expect(result.value).toBe(200);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      kind: 'effect',
      callId: result.callId,
      id: 'poster:post',
      tenant: 'ada',
      input: { text: 'hello' },
      effect: { method: 'POST', url: 'http://api.test/notes?key=1', body: 'hello' },
    });
    expect(sent).toEqual(['POST hello']);
  });

  it('is denied if the approver denies, and nothing is sent', async () => {
    verdict = 'deny';
    const result = await gateway.call('post', { text: 'no' });
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result.content)).toContain('was not approved');
    expect(sent).toEqual(['POST hello']);
    expect((await gateway.call('read', {})).value).toBe(200);
  });

  it('is logged by a gateway that only audits', async () => {
    expect((await audited.call('post', { text: 'audited' })).value).toBe(200);
    expect(effects).toEqual(['POST http://api.test/notes?…']);
  });

  it('is a power, which runs on the gateway', async () => {
    const result = await gateway.call('open', { door: 'front' }, { tenant: 'ada' });
    expect(result.value).toEqual({ opened: true, by: process.pid });
    expect(used).toEqual([{ args: { door: 'front' }, plugin: 'lender', call: result.callId }]);
  });

  it('carries bytes both ways, also more than a message may have', async () => {
    expect((await gateway.call('mirror', { size: 10 })).value).toEqual([10, 7]);
    expect((await gateway.call('mirror', { size: 700_000 })).value).toEqual([700_000, 7]);
  });

  it('is refused by the gateway if the arguments or the permission are not right', async () => {
    const invalid = await gateway.call('open', { window: 1 });
    expect(textOf(invalid.content)).toContain('door');
    expect((await gateway.call('secret', {})).isError).toBe(true);
    expect(used).toHaveLength(1);
  });

  it('is refused if calls of several tenants may have asked', async () => {
    used.length = 0;
    const results = await Promise.all(
      ['ada', 'bob'].map((tenant) => gateway.call('late', {}, { tenant })),
    );
    const refused = expect.stringContaining('calls of one tenant alone');
    expect(results.map(({ value }) => value)).toEqual([refused, refused]);
    expect(used).toEqual([]);
  });

  /** Calls `post`, and lets a hostile user act when its runner asks. Nobody answers before that. */
  const attack = async (
    act: (ask: { id: string; asked: string; digest: string; call: string }) => void,
    answerAfterMs = 400,
  ): Promise<readonly string[]> => {
    verdict = 'deny';
    asked.length = 0;
    let seen = 0;
    const subscription = connection.subscribe('_INBOX_gate-1.calls.*', {
      callback: (_error, message) => {
        const reply = message.json<{ type: string; id: string; asked: string }>();
        if (reply.type !== 'ask' || seen > 0) return;
        seen += 1;
        const { digest } = (JSON.parse(reply.asked) as { held: { digest: string } }).held;
        act({ ...reply, digest, call: message.subject.split('.').at(-1) ?? '' });
      },
    });
    await connection.flush();
    waitMs = answerAfterMs;
    const result = await gateway.call('post', { text: 'forged' });
    waitMs = 0;
    subscription.unsubscribe();
    expect(seen).toBe(1);
    expect(result.isError).toBe(true);
    return sent;
  };
  const answer = (by: SigningKey, about: object): void => {
    const { id } = about as { id: string };
    const text = JSON.stringify({ key: by.id, cell: 'main', runner: 'runner-1', ...about });
    connection.publish(`bh.main.ctl.runner-1.answer.${id}`, sealFrame(by, 'answer', text));
  };
  const allowed = (digest: string): string => JSON.stringify({ is: 'allowed', digest });

  it('is answered by the gateway of the call alone', async () => {
    const posted = await attack(({ id, call, digest }) => {
      const stranger = parseSigningKey(makeSigningKey().privatePem, 'stranger');
      answer(stranger, { id, call, answer: allowed(digest) });
      answer(readSigningKey(cell.signKey), { id, call: `${call}1`, answer: allowed(digest) });
    });
    expect(posted).not.toContain('POST forged');
  });

  it('is not answered by what was allowed for another request', async () => {
    const posted = await attack(({ id, call }) =>
      answer(readSigningKey(cell.signKey), { id, call, answer: allowed('0'.repeat(64)) }),
    );
    expect(posted).not.toContain('POST forged');
  });

  it('is not asked in the words of a hostile runner, and not more often than 64 times at once', async () => {
    await attack(({ asked: text, call }) => {
      const other = text.replace('hello', 'other').replace('forged', 'bought');
      for (let n = 0; n < 100; n += 1) {
        const id = n.toString(16).padStart(32, '0');
        const ask = JSON.stringify({ type: 'ask', id, asked: n < 10 ? other : text });
        connection.publish(`_INBOX_gate-1.calls.${call}`, ask);
      }
    }, 10_000);
    expect(asked.length).toBeGreaterThan(40);
    expect(asked.length).toBeLessThanOrEqual(64);
    expect(asked.filter(({ effect }) => effect?.body !== 'forged')).toEqual([]);
  });
});
