import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Objm } from '@nats-io/obj';
import {
  connect,
  type Msg,
  type NatsConnection,
  nkeyAuthenticator,
  nkeys,
} from '@nats-io/transport-node';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Gateway } from '../../src/entry-points/fleet.js';
import { tenantToken } from '../../src/fleet/subjects.js';
import { fencesOf } from '../docs/documents.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { type Cell, heardOf, makeCell } from './cell.js';
import { hasNats, startNats } from './nats-server.js';

const SAMPLE = {
  id: 'sample',
  tools: { echo: '(input) => input', repeat: "({ times }) => 'x'.repeat(times)" },
};
const NOTES = {
  id: 'notes',
  permissions: { storage: true },
  tools: { put: "({ text }) => storage.write('note', text)" },
};

const [configuration = ''] = fencesOf('docs/fleet.md')
  .filter(({ language }) => language === 'ini')
  .map(({ text }) => text);

async function firstOf(messages: AsyncIterable<Msg>): Promise<string> {
  for await (const message of messages) return message.string();
  return '';
}

describe.skipIf(!hasNats)('the permissions of docs/fleet.md', () => {
  let cell: Cell;
  let gateway: Gateway;
  let hostile: NatsConnection;
  const refused: string[] = [];
  const seeds = { gateway: nkeys.createUser(), runner: nkeys.createUser() };

  beforeAll(async () => {
    const { url } = await startNats(
      configuration
        .replace('GATEWAY_1', seeds.gateway.getPublicKey())
        .replace('RUNNER_1', seeds.runner.getPublicKey()),
    );
    cell = await makeCell(url, [SAMPLE, NOTES]);
    const directory = makeDirectory();
    const fileOf = (name: 'gateway' | 'runner'): string => {
      const file = join(directory, name);
      writeFileSync(file, seeds[name].getSeed(), { mode: 0o600 });
      return file;
    };
    gateway = await cell.gateway('gateway-1', {}, { nkeyFile: fileOf('gateway') });
    await cell.runner('runner-1', {}, { nkeyFile: fileOf('runner'), tenants: ['ada'] });
    await vi.waitFor(() => heardOf(gateway, 'runner-1'), { timeout: 20_000 });
    // The runner's own key, in the hands of an attacker.
    hostile = await connect({
      servers: url,
      inboxPrefix: '_INBOX_runner-1',
      authenticator: nkeyAuthenticator(seeds.runner.getSeed()),
    });
    void (async () => {
      for await (const status of hostile.status()) {
        if (status.type === 'error') refused.push(status.error.message);
      }
    })();
    return () => hostile.close();
  });

  it('are enough for calls, large results and plugins with state', async () => {
    const options = { tenant: 'ada' };
    expect((await gateway.call('echo', { a: 1 }, options)).value).toEqual({ a: 1 });
    const text = 'y'.repeat(600_000);
    expect((await gateway.call('echo', { text }, options)).value).toEqual({ text });
    const large = await gateway.call('repeat', { times: 700_000 }, options);
    expect(large.value).toHaveLength(700_000);
    expect((await gateway.call('put', { text: 'kept' }, options)).isError).toBe(false);
    expect(tenantToken('ada')).toBe('mfsgc');
  });

  it.each([
    ['read the calls of others', 'bh.main.call.>'],
    ['read the calls that it serves outside of the queue group', 'bh.main.call.mfsgc.*'],
    ['serve another tenant', `bh.main.call.${tenantToken('bob')}.*`],
    ['read the calls of another runner', 'bh.main.pin.runner-2.*'],
    ['read the answers to the gateway', '_INBOX_gateway-1.>'],
    ['read everything', '>'],
  ])('do not let a hostile runner %s', async (_what, subject) => {
    const got: string[] = [];
    const subscription = hostile.subscribe(subject, {
      callback: (error, message) => {
        got.push(error === null ? `message on ${message.subject}` : error.message);
      },
    });
    await hostile.flush();
    await gateway.call('echo', { secret: 1 }, { tenant: 'ada' });
    expect(got).toEqual([expect.stringContaining('Permissions Violation')]);
    expect(subscription.isClosed()).toBe(true);
  });

  it.each([
    'bh.main.call.0.000000000000',
    'bh.main.pin.runner-2.000000000000',
    'bh.main.ctl.runner-2.cancel.call_1-0',
    'bh.main.epoch.gateway-1',
    'bh.main.hb.runner-2',
    '_INBOX_gateway-1.calls.call_1-0',
    '$KV.bh-main-pins.0.00',
    '$O.bh-main-artifacts.C.x',
    '$JS.API.STREAM.CREATE.copy',
    '$JS.API.STREAM.DELETE.OBJ_bh-main-artifacts',
    '$JS.API.STREAM.PURGE.OBJ_bh-main-artifacts',
    'bh.main.audit.runner-2',
    '$KV.bh-main-revoked.00',
    '$JS.API.STREAM.UPDATE.bh-main-audit',
    '$JS.API.STREAM.MSG.GET.bh-main-audit',
    '$JS.API.DIRECT.GET.bh-main-audit',
    '$JS.API.DIRECT.GET.bh-main-audit.bh.main.audit.runner-2',
    '$JS.API.CONSUMER.CREATE.bh-main-audit',
    '$JS.API.CONSUMER.CREATE.OBJ_bh-main-artifacts.name',
    '$JS.API.CONSUMER.DURABLE.CREATE.OBJ_bh-main-artifacts.name',
  ])('do not let a hostile runner publish to %s', async (subject) => {
    hostile.publish(subject, 'x');
    await hostile.flush();
    await expect
      .poll(() => refused.join('\n'))
      .toContain(`Permissions Violation for Publish to "${subject}"`);
  });

  describe('in the hands of a hostile client: the user of a gateway', () => {
    let client: NatsConnection;
    const denied: string[] = [];
    beforeAll(async () => {
      client = await connect({
        servers: cell.url,
        inboxPrefix: '_INBOX_gateway-1',
        authenticator: nkeyAuthenticator(seeds.gateway.getSeed()),
      });
      void (async () => {
        for await (const status of client.status()) {
          if (status.type === 'error') denied.push(status.error.message);
        }
      })();
      return () => client.close();
    });

    it.each([
      'bh.main.epoch.gateway-2',
      'bh.main.hb.runner-1',
      'bh.main.audit.runner-1',
      '_INBOX_runner-1.x',
      '_INBOX_gateway-2.calls.call_1-0',
      'bh.other.call.mfsgc.000000000000',
      '$JS.API.STREAM.DELETE.bh-main-audit',
      '$JS.API.STREAM.UPDATE.bh-main-audit',
      '$JS.API.STREAM.PURGE.bh-main-audit',
      '$JS.API.STREAM.MSG.DELETE.bh-main-audit',
    ])('cannot publish to %s', async (subject) => {
      client.publish(subject, 'x');
      await client.flush();
      await expect
        .poll(() => denied.join('\n'))
        .toContain(`Permissions Violation for Publish to "${subject}"`);
    });

    it.each(['bh.main.call.>', 'bh.main.pin.>', 'bh.main.epoch.*', '_INBOX_gateway-2.>', '>'])(
      'cannot subscribe to %s',
      async (subject) => {
        client.subscribe(subject, { callback: () => {} });
        await client.flush();
        await expect
          .poll(() => denied.join('\n'))
          .toContain(`Permissions Violation for Subscription to "${subject}"`);
      },
    );

    it('gets no call run without the signature of a gateway', async () => {
      const answer = client.subscribe('_INBOX_gateway-1.calls.x', { max: 1 });
      client.publish('bh.main.call.mfsgc.*'.replace('*', '000000000000'), 'S'.repeat(200), {
        reply: '_INBOX_gateway-1.calls.x',
      });
      const [message] = await Promise.all([firstOf(answer), client.flush()]);
      expect(message).not.toContain('"type":"result"');
    });
  });

  it('refuse a connection without a key', async () => {
    const { url } = cell;
    await expect(connect({ servers: url, reconnect: false })).rejects.toThrow('Authorization');
    await expect(cell.runner('runner-2')).rejects.toMatchObject({ code: 'FLEET_FAILED' });
  });

  it('leave the artifacts as they were', async () => {
    const own = await connect({
      servers: cell.url,
      inboxPrefix: '_INBOX_gateway-1',
      authenticator: nkeyAuthenticator(seeds.gateway.getSeed()),
    });
    const bucket = await new Objm(own).open('bh-main-artifacts');
    // Two artifacts, and the names of the powers.
    expect(await bucket.list()).toHaveLength(3);
    await own.close();
  });
});
