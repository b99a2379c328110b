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
  let pauses = 0;
  serveSyncChannel({
    pipe: Object.assign(events, {
      writableLength: 0,
      pause: () => {
        pauses += 1;
      },
      resume: () => {},
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
    pauses: () => pauses,
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
    expect(channel.violations).toEqual(['it sent more than one synchronous request at once']);
    const late = open(() => new Promise(() => {}));
    late.send(request('readFile'));
    late.send(request('readFile'));
    expect(late.violations).toEqual([
      'it sent a synchronous request before the answer to its last',
    ]);
  });

  it('of a length over its cap breaks the protocol, before memory is allocated', () => {
    const channel = open(async () => ({ value: 1 }));
    channel.send(Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0));
    expect(channel.violations).toHaveLength(1);
  });

  it('in many small pieces costs the host a copy of each byte, not of all before it', async () => {
    const channel = open(async (_by, _method, _params, body) => ({ value: body.length }));
    const bytes = writeParcel(
      { by: 0, method: 'changeFile', params: null },
      new Uint8Array(8 * 1024 * 1024),
      spec,
    );
    const pieceBytes = 256;
    // With a copy of all earlier bytes for each piece, this takes minutes.
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      channel.send(bytes.subarray(at, at + pieceBytes));
    }
    await settled();
    expect(channel.answers).toEqual([{ value: 8 * 1024 * 1024 }]);
  });

  it('is read at a limited rate: a guest that keeps the host busy is paused', async () => {
    const channel = open(async () => ({ value: 1 }));
    const bytes = request('statFile');
    const end = performance.now() + 10_000;
    while (channel.pauses() === 0 && performance.now() < end) {
      channel.send(bytes);
      await Promise.resolve();
      await settled();
    }
    expect(channel.pauses()).toBeGreaterThan(0);
  });
});
