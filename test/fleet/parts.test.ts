import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Objm } from '@nats-io/obj';
import { describe, expect, it } from 'vitest';
import { openBodies } from '../../src/fleet/bodies.js';
import { connectCell } from '../../src/fleet/connection.js';
import { readReply } from '../../src/fleet/reply.js';
import { makeRunnerTable } from '../../src/fleet/runner-table.js';
import { makeHmac } from '../../src/fleet/session.js';
import { openSpentCalls } from '../../src/fleet/spent-calls.js';
import { subjectsOf, tenantOf, tenantToken } from '../../src/fleet/subjects.js';
import { BULKHEAD_VERSION } from '../../src/fleet/version.js';
import { readText } from '../architecture/sources.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { hasNats, startNats } from './nats-server.js';

describe('the subjects of a fleet', () => {
  it('have each tenant as one token, whatever its name is', () => {
    const names = ['ada', 'a.b', '*', '>', 'Ä ö', 'x'.repeat(128)];
    const tokens = names.map(tenantToken);
    expect(tokens.filter((token) => !/^[a-z2-7]+$/.test(token))).toEqual([]);
    expect(new Set(tokens).size).toBe(names.length);
    expect([...names, undefined].map((name) => tenantOf(tenantToken(name)))).toEqual([
      ...names,
      undefined,
    ]);
    // RFC 4648, section 10.
    expect(tenantToken('foobar')).toBe('mzxw6ytboi');
    expect(tenantToken('fooba')).toBe('mzxw6ytb');
    expect(tenantToken(undefined)).toBe('0');
    expect(() => tenantToken('x'.repeat(129))).toThrow('1 to 128 bytes');
    expect(() => tenantToken('')).toThrow('1 to 128 bytes');
  });

  it('read their last token', () => {
    const subjects = subjectsOf('main');
    expect(subjects.lastToken(subjects.heartbeat('one'))).toBe('one');
  });
});

describe('the calls that a runner has begun', () => {
  it('are noted on disk, and begin once until they expire', () => {
    const directory = makeDirectory();
    const first = openSpentCalls(directory, () => 1_000);
    expect(first.spend('call_a-0', 2_000)).toBe(true);
    expect(first.spend('call_a-0', 2_000)).toBe(false);
    expect(first.spend('call_b-0', 9_000)).toBe(true);
    first.save();
    const again = openSpentCalls(directory, () => 1_500);
    expect(again.spend('call_a-0', 2_000)).toBe(false);
    openSpentCalls(directory, () => 3_000);
    expect(readFileSync(join(directory, 'spent-calls'), 'utf8')).toBe('call_b-0 9000\n');
  });
});

describe('the note of a call', () => {
  const directory = makeDirectory();
  let room = 1_000;
  const write = (descriptor: number, bytes: Uint8Array): number => {
    if (room === 0) throw new Error('ENOSPC: no space left on device');
    const written = writeSync(descriptor, bytes.subarray(0, room));
    room -= written;
    return written;
  };
  const calls = openSpentCalls(directory, () => 1_000, write);

  it('fails if it is not on disk whole, and does not spoil the next one', () => {
    calls.spend('call_a-0', 9_000);
    room = 10;
    expect(() => calls.save()).toThrow('ENOSPC');
    room = 1_000;
    calls.spend('call_b-0', 9_000);
    calls.save();
    const text = readFileSync(join(directory, 'spent-calls'), 'utf8');
    expect(text).toBe('call_a-0 9\ncall_b-0 9000\n');
    expect(openSpentCalls(directory, () => 1_500).spend('call_b-0', 9_000)).toBe(false);
  });

  it('fails after the close', () => {
    calls.close();
    calls.spend('call_c-0', 9_000);
    expect(() => calls.save()).toThrow('closed');
  });
});

describe('the code of a session', () => {
  it('is HMAC-SHA256, for messages of each length', () => {
    const key = randomBytes(32);
    const mac = makeHmac(key);
    for (const length of [0, 1, 63, 64, 1_000, 16_320, 16_321, 100_000]) {
      const message = randomBytes(length);
      const expected = createHmac('sha256', key).update(message).digest();
      expect(mac(message).equals(expected), `${length} bytes`).toBe(true);
    }
  });
});

describe('a message of a runner', () => {
  const block = { type: 'text', text: 'fine' };
  const result = { isError: false, content: [block], durationMs: 1 };
  const read = (value: object): unknown => readReply(JSON.stringify(value));

  it('is read if it is one', () => {
    expect(read({ type: 'result', result })).toEqual({ type: 'result', result });
    const image = { type: 'image', mimeType: 'image/png', data: '' };
    const withImage = { ...result, content: [image] };
    expect(read({ type: 'result', result: withImage })).toEqual({
      type: 'result',
      result: withImage,
    });
  });

  it.each([
    [{ ...result, isError: 'no' }],
    [{ ...result, content: 'fine' }],
    [{ ...result, content: [null] }],
    [{ ...result, content: [{ type: 'text', text: { toString: 1 } }] }],
    [{ ...result, content: [{ type: 'script', text: 'x' }] }],
    [{ ...result, code: { is: 'an object' } }],
    [{ ...result, durationMs: '1' }],
  ])('is dropped if its result is %j', (hostile) => {
    expect(read({ type: 'result', result: hostile })).toBeUndefined();
  });

  it.each([
    ['not JSON'],
    ['null'],
    ['{"type":"else"}'],
    ['{"type":"busy","runner":"a","retryAfterMs":1e9}'],
    ['{"type":"refused","runner":"a","reason":"__proto__","message":"x"}'],
    ['{"type":"result","body":{"tenant":"../x","name":"1"}}'],
  ])('is dropped if it is %s', (text) => {
    expect(readReply(text)).toBeUndefined();
  });
});

describe('the table of runners', () => {
  it('chooses the runner with the fewest calls, and none that is silent', () => {
    let now = 0;
    const table = makeRunnerTable({ gateway: 'g', version: '1.2.0', now: () => now });
    const heartbeat = (runner: string, callsUnderWay: number) => ({
      runner,
      instance: runner,
      version: '1.0.0',
      artifacts: ['a'],
      callsUnderWay,
      maxCalls: 4,
      freeMemory: 1,
      leaving: false,
      hears: ['g'],
      session: '',
      sessions: [],
    });
    const choose = (): string | undefined =>
      table.choose({ artifact: 'a', tenant: undefined, except: new Set() })?.runner;
    table.hear(heartbeat('one', 3));
    table.hear(heartbeat('two', 1));
    table.hear({ ...heartbeat('old', 0), version: '0.9.0' });
    table.hear({ ...heartbeat('deaf', 0), hears: [] });
    expect(choose()).toBe('two');
    const ended = [table.sent('two'), table.sent('two'), table.sent('two'), table.sent('two')];
    expect(choose()).toBe('one');
    for (const end of ended) end();
    expect(choose()).toBe('two');
    now = 6_001;
    expect(choose()).toBeUndefined();
    expect(table.list().map(({ state }) => state)).toEqual(Array(4).fill('silent'));
  });
});

describe.skipIf(!hasNats)('a large body', () => {
  it('is encrypted in the store, and refused if it was changed', async () => {
    const { url } = await startNats();
    const cell = await connectCell({ servers: [url], name: 'one' });
    const bodies = openBodies(cell);
    await bodies.prepare('0');
    const reference = await bodies.store('0', 'a secret text');
    expect(await bodies.read(reference)).toBe('a secret text');
    const bucket = await new Objm(cell.connection).open('bh-main-bodies-0');
    const stored = await bucket.getBlob(reference.name);
    expect(Buffer.from(stored ?? []).toString()).not.toContain('secret');
    const other = await bodies.store('0', 'another text!');
    const bytes = (await bucket.getBlob(other.name)) ?? new Uint8Array();
    await bucket.putBlob({ name: reference.name }, bytes);
    await expect(bodies.read(reference)).rejects.toThrow('it was changed');
    // Also if the key fits: the hash of the text is the gateway's word.
    await expect(bodies.read({ ...other, sha256: reference.sha256 })).rejects.toThrow('changed');
    await bodies.remove(other);
    await expect(bodies.read(other)).rejects.toThrow('not in the object store any more');
    await cell.connection.close();
  });
});

it('names the version of the package', () => {
  const { version } = JSON.parse(readText('package.json')) as { version: string };
  expect(BULKHEAD_VERSION).toBe(version);
});
