import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Gateway } from '../../src/entry-points/fleet.js';
import { type Cell, heardOf, makeCell } from './cell.js';
import { hasNats, type NatsServer, startNats } from './nats-server.js';

const SAMPLE = { id: 'sample', tools: { echo: '(input) => input' } };
/** A plugin with a network has tools of more than low risk. */
const REMOTE = {
  id: 'remote',
  permissions: { network: ['api.example.com'] },
  tools: { change: "() => 'changed'" },
};

describe.skipIf(!hasNats)('the audit logs of runners in NATS', () => {
  let nats: NatsServer;
  let cell: Cell;
  let gateway: Gateway;
  let connection: NatsConnection;
  const errors: string[] = [];
  beforeAll(async () => {
    nats = await startNats();
    cell = await makeCell(nats.url, [SAMPLE, REMOTE]);
    const log = (_about: object, text: string): void => void errors.push(text);
    gateway = await cell.gateway('gate-1', {
      logger: { debug: () => {}, info: () => {}, warn: () => {}, error: log },
    });
    connection = await connect({ servers: nats.url });
    return () => connection.close();
  });

  const recordsOf = async (runner: string): Promise<readonly Record<string, unknown>[]> => {
    const consumer = await jetstream(connection).consumers.get('bh-main-audit', {
      filter_subjects: `bh.main.audit.${runner}`,
    });
    const found: Record<string, unknown>[] = [];
    if ((await consumer.info()).num_pending === 0) return found;
    for await (const message of await consumer.consume()) {
      for (const line of message.string().split('\n')) {
        found.push(JSON.parse(line) as Record<string, unknown>);
      }
      if (message.info.pending === 0) break;
    }
    return found;
  };

  it('have each call, survive a restart as one chain, and are verified by the gateway', async () => {
    const one = await cell.runner('one');
    await heardOf(gateway, 'one');
    const first = await gateway.call('echo', { a: 1 });
    const second = await gateway.call('change', {});
    await one.close();
    const again = await cell.runner('one');
    await heardOf(gateway, 'one');
    await gateway.call('echo', { b: 2 });
    await again.close();
    const records = await recordsOf('one');
    const started = records.filter(({ type }) => type === 'call-started').map(({ call }) => call);
    expect(started).toHaveLength(3);
    expect(started).toEqual(expect.arrayContaining([first.callId, second.callId]));
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, at) => at + 1));
    expect(records.filter(({ type }) => type === 'log-opened')).toHaveLength(2);
    expect(await gateway.verifyAudit()).toEqual([
      { runner: 'one', verdict: expect.objectContaining({ ok: true, records: records.length }) },
    ]);
  });

  it('refuse records of another writer between two of a runner', async () => {
    const two = await cell.runner('two');
    await heardOf(gateway, 'two');
    await gateway.call('echo', {});
    const forged = JSON.stringify({ seq: 99, type: 'call-started' });
    await jetstream(connection).publish('bh.main.audit.two', forged);
    // The runner notices it, and does nothing that needs its record first.
    await expect.poll(async () => (await gateway.call('change', {})).code).toBe('AUDIT_FAILED');
    expect((await gateway.call('echo', { still: 'runs' })).isError).toBe(false);
    await two.close();
    const verdicts = await gateway.verifyAudit();
    expect(verdicts.find(({ runner }) => runner === 'two')?.verdict.ok).toBe(false);
    await expect
      .poll(() => errors.join('\n'))
      .toContain('The audit log of the runner two is not intact');
    expect(gateway.runners().find(({ name }) => name === 'two')?.auditBroken).toContain('record');
  });

  it('cannot be deleted or shortened through JetStream', async () => {
    const manager = await jetstreamManager(connection);
    await expect(manager.streams.deleteMessage('bh-main-audit', 1)).rejects.toThrow(
      'message delete not permitted',
    );
    await expect(manager.streams.purge('bh-main-audit')).rejects.toThrow(
      'stream purge not permitted',
    );
  });

  it('are missing if an operator deletes the stream, and the gateway says so', async () => {
    const before = (await gateway.verifyAudit()).filter(({ verdict }) => verdict.ok);
    expect(before.map(({ runner }) => runner)).toEqual(['one']);
    const manager = await jetstreamManager(connection);
    await manager.streams.delete('bh-main-audit');
    await (await cell.gateway('gate-2')).close();
    const [one] = await gateway.verifyAudit();
    expect(one).toMatchObject({ runner: 'one', verdict: { ok: false, kind: 'truncated' } });
  });
});

describe.skipIf(!hasNats)('a runner whose audit log has no room left in JetStream', () => {
  it('refuses calls of medium and high risk, runs others, and goes on when there is room', async () => {
    const { url } = await startNats();
    const cell = await makeCell(url, [SAMPLE, REMOTE]);
    const gateway = await cell.gateway();
    const runner = await cell.runner();
    await heardOf(gateway, 'runner-1');
    expect((await gateway.call('change', {})).value).toBe('changed');
    const connection = await connect({ servers: url });
    const manager = await jetstreamManager(connection);
    // The record of a call's end follows its answer. One that came after the limit would make NATS
    // delete older ones, and so make room.
    const last = { last_by_subj: 'bh.main.audit.runner-1' };
    await expect
      .poll(async () => (await manager.streams.getMessage('bh-main-audit', last))?.string())
      .toContain('"call-ended"');
    const { state, config } = await manager.streams.info('bh-main-audit');
    await manager.streams.update('bh-main-audit', { ...config, max_bytes: state.bytes });
    const refused = await gateway.call('change', {});
    expect(refused).toMatchObject({ isError: true, code: 'AUDIT_FAILED' });
    expect((await gateway.call('echo', { a: 1 })).value).toEqual({ a: 1 });
    await manager.streams.update('bh-main-audit', { ...config, max_bytes: -1 });
    expect((await gateway.call('change', {})).value).toBe('changed');
    await runner.close();
    // Nothing was lost on the way.
    expect((await gateway.verifyAudit())[0]?.verdict.ok).toBe(true);
    await connection.close();
  });
});
