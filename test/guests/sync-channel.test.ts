/** The pipe for synchronous requests, with a guest that keeps to the protocol or does not. */
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { makeUtf8 } from '../../sandbox/wire/framing.js';
import {
  PARCEL_HEADER_BYTES,
  readParcel,
  readParcelHeader,
  writeParcel,
} from '../../sandbox/wire/sync.js';
import { serveSyncChannel, type SyncService } from '../../src/guests/sync-channel.js';

const utf8 = makeUtf8(Buffer);
const spec = { utf8, allocate: (bytes: number) => Buffer.alloc(bytes) };
const NO_BODY = new Uint8Array(0);

function open(serve: SyncService) {
  const events = new EventEmitter();
  const answers: unknown[] = [];
  const violations: string[] = [];
  serveSyncChannel({
    pipe: Object.assign(events, {
      write: (bytes: Uint8Array) => {
        const { jsonBytes } = readParcelHeader(bytes);
        answers.push(readParcel(bytes.subarray(PARCEL_HEADER_BYTES), jsonBytes, utf8).json);
      },
    }),
    serve,
    onViolation: (detail) => violations.push(detail),
  });
  return {
    send: (bytes: Uint8Array) => events.emit('data', Buffer.from(bytes)),
    answers,
    violations,
  };
}

const request = (method: string) =>
  writeParcel({ by: 0, method, params: { path: 'a' } }, NO_BODY, spec);
const settled = () => new Promise((done) => setImmediate(done));

describe('a synchronous request', () => {
  it('is answered, however its bytes are cut', async () => {
    const channel = open(async (_by, method, params) => ({ value: { method, params } }));
    for (const byte of request('readFile')) channel.send(Uint8Array.of(byte));
    await settled();
    expect(channel.answers).toEqual([{ value: { method: 'readFile', params: { path: 'a' } } }]);
  });

  it('that is refused is answered with the failure', async () => {
    const channel = open(() => Promise.reject(new Error('no')));
    channel.send(request('statFile'));
    await settled();
    expect(channel.answers).toEqual([{ failure: { name: 'Error', message: 'no' } }]);
  });

  it.each(['fetch', 'power', 'call'])('of the method %s breaks the protocol', async (method) => {
    const channel = open(async () => ({ value: 1 }));
    channel.send(request(method));
    await settled();
    expect(channel.answers).toEqual([]);
    expect(channel.violations).toHaveLength(1);
  });

  it('that is followed by another before its answer breaks the protocol', () => {
    const channel = open(() => new Promise(() => {}));
    channel.send(Buffer.concat([request('readFile'), request('readFile')]));
    expect(channel.violations).toHaveLength(1);
    const late = open(() => new Promise(() => {}));
    late.send(request('readFile'));
    late.send(request('readFile'));
    expect(late.violations).toHaveLength(1);
  });

  it('of a length over its cap breaks the protocol, before memory is allocated', () => {
    const channel = open(async () => ({ value: 1 }));
    channel.send(Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0));
    expect(channel.violations).toHaveLength(1);
  });
});
