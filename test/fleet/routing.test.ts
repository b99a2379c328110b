import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { Objm } from '@nats-io/obj';
import { beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../src/index.js';
import type { Gateway } from '../../src/entry-points/fleet.js';
import { openLockfile } from '../../src/entry-points/lock.js';
import { makeDirectory, makePlugin, silentLogger } from '../engine/plugin-on-disk.js';
import { makeCache } from '../run-directory.js';
import { type Cell, heardOf, makeCell } from './cell.js';
import { hasNats, type NatsServer, startNats } from './nats-server.js';

const SAMPLE = {
  id: 'sample',
  permissions: { time: true },
  tools: {
    echo: '(input) => input',
    clock: '() => Date.now() > 0',
    hang: '() => new Promise(() => {})',
    wait: '({ ms }) => new Promise((resolve) => setTimeout(resolve, ms))',
  },
};

const NOTES = {
  id: 'notes',
  permissions: { storage: true },
  tools: {
    put: "({ text }) => storage.write('note', text)",
    get: "() => storage.read('note')",
  },
};

describe.skipIf(!hasNats)('the gateway of a fleet', () => {
  let nats: NatsServer;
  let cell: Cell;
  let gateway: Gateway;
  beforeAll(async () => {
    nats = await startNats();
    cell = await makeCell(nats.url, [SAMPLE, NOTES]);
    gateway = await cell.gateway('gate-1', { idempotent: ['sample:echo'] });
  });

  it('does not run a call without a runner, and says so', async () => {
    const result = await gateway.call('echo', {});
    expect(result).toMatchObject({ isError: true, code: 'FLEET_FAILED' });
    expect(textOf(result.content)).toContain('no runner serves sample');
  });

  it('tries another runner if the first one is busy, and reports BUSY if all are', async () => {
    const one = await cell.runner('one', {}, { maxCalls: 1 });
    const two = await cell.runner('two', {}, { maxCalls: 1 });
    await heardOf(gateway, 'one', 'two');
    const end = new AbortController();
    const held = [0, 1].map(() => gateway.call('hang', {}, { signal: end.signal }));
    await expect.poll(() => [one.callsUnderWay, two.callsUnderWay]).toEqual([1, 1]);
    expect((await gateway.call('echo', {})).code).toBe('BUSY');
    end.abort();
    await Promise.all(held);
    await Promise.all([one.close(), two.close()]);
  });

  it('lets a runner that leaves finish its calls, and sends it no more', async () => {
    const leaving = await cell.runner('leaving');
    await heardOf(gateway, 'leaving');
    const call = gateway.call('wait', { ms: 400 });
    await expect.poll(() => leaving.callsUnderWay).toBe(1);
    const drained = leaving.drain();
    expect((await gateway.call('echo', {})).code).toBe('FLEET_FAILED');
    expect((await call).isError).toBe(false);
    await drained;
    expect(gateway.runners().find(({ name }) => name === 'leaving')?.state).toBe('leaving');
  });

  it('keeps a plugin with storage on one runner, until the operator moves it', async () => {
    const first = await cell.runner('first');
    await heardOf(gateway, 'first');
    await gateway.call('put', { text: 'kept' });
    const second = await cell.runner('second');
    await heardOf(gateway, 'second');
    expect((await gateway.call('get', {})).value).toBe('kept');
    await first.drain();
    const lost = await gateway.call('get', {});
    expect(lost.code).toBe('FLEET_FAILED');
    expect(textOf(lost.content)).toContain('keeps state on the runner first');
    await gateway.movePlugin('notes', 'second');
    await gateway.call('put', { text: 'moved' });
    expect((await gateway.call('get', {})).value).toBe('moved');
    await second.close();
  });

  it('revokes on every runner before the next call', async () => {
    const runner = await cell.runner('revoked');
    const own = await cell.gateway('gate-2');
    await heardOf(own, 'revoked');
    expect((await own.call('clock', {})).value).toBe(true);
    await own.revoke('sample', 'time');
    expect((await own.call('clock', {})).isError).toBe(true);
    await heardOf(gateway, 'revoked');
    // The other gateway hears of it from NATS.
    await expect
      .poll(async () => (await gateway.call('clock', {})).code)
      .toMatch(/^(PERMISSION_REVOKED|TIME_DENIED)$/);
    await own.setEnabled('notes', false);
    await expect(own.call('notes:get', {})).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' });
    await Promise.all([own.close(), runner.close()]);
  });

  it('runs nothing of another artifact than the one in the lock file of the runner', async () => {
    const machine = makeDirectory();
    const directory = join(machine, 'plugins', 'sample');
    mkdirSync(directory, { recursive: true });
    makePlugin({ ...SAMPLE, tools: { echo: "() => 'another version'" } }, directory);
    const options = {
      plugins: [],
      cacheDirectory: makeCache(join(machine, 'cache')),
      logger: silentLogger,
      env: {},
    };
    const book = openLockfile(join(machine, 'other.lock.json'), options);
    const inspected = await book.inspect(directory);
    book.accept(inspected, { granted: inspected.declared, by: 'ada' });
    const runner = await cell.runner('other', { lockFile: join(machine, 'other.lock.json') });
    await heardOf(gateway, 'other');
    const result = await gateway.call('echo', {});
    expect(result.code).toBe('FLEET_FAILED');
    expect(textOf(result.content)).toContain('no runner serves sample');
    await runner.close();
  });

  it('does not take an artifact whose bytes were changed in the store', async () => {
    const connection = await connect({ servers: nats.url });
    const bucket = await new Objm(connection).open('bh-main-artifacts');
    for (const { name } of await bucket.list()) {
      await bucket.putBlob({ name }, new TextEncoder().encode('hostile'));
    }
    const runner = await cell.runner('poisoned');
    expect(runner.problems().map(({ message }) => message)).toEqual(
      expect.arrayContaining([expect.stringContaining('its bytes have another hash')]),
    );
    // A gateway that starts publishes the accepted bytes again.
    await (await cell.gateway('gate-3')).close();
    await runner.reload();
    await heardOf(gateway, 'poisoned');
    await expect.poll(async () => (await gateway.call('echo', { ok: 1 })).value).toEqual({ ok: 1 });
    await runner.close();
    await connection.close();
  });

  it('does not run for a gateway that it does not trust', async () => {
    const stranger = await makeCell(nats.url, [SAMPLE]);
    const runner = await cell.runner('strict', {}, { gatewayKeys: [stranger.publicKey] });
    await expect
      .poll(() => gateway.runners().find(({ name }) => name === 'strict')?.state)
      .toBe('deaf');
    const result = await gateway.call('echo', {});
    expect(result.code).toBe('FLEET_FAILED');
    expect(textOf(result.content)).toContain('does not trust the gateway');
    await runner.close();
  });

  it('serves the tenants of a runner alone', async () => {
    const runner = await cell.runner('private', {}, { tenants: ['Ada Ltd.'] });
    await heardOf(gateway, 'private');
    expect((await gateway.call('echo', { a: 1 }, { tenant: 'Ada Ltd.' })).value).toEqual({ a: 1 });
    expect((await gateway.call('echo', {}, { tenant: 'Bob' })).code).toBe('FLEET_FAILED');
    expect((await gateway.call('echo', {})).code).toBe('FLEET_FAILED');
    await runner.close();
  });

  it('refuses servers that are not encrypted, and passwords in URLs', async () => {
    await expect(cell.gateway('gate-4', {}, { servers: ['nats://10.0.0.1:4222'] })).rejects.toThrow(
      'it is not encrypted',
    );
    await expect(
      cell.gateway('gate-4', {}, { servers: ['nats://user:secret@127.0.0.1:4222'] }),
    ).rejects.toThrow('takes no password');
    writeFileSync(join(cell.root, 'seed'), 'SUA', { mode: 0o644 });
    await expect(
      cell.gateway('gate-4', {}, { nkeyFile: join(cell.root, 'seed') }),
    ).rejects.toMatchObject({ code: 'INVALID_KEY' });
  });
});
