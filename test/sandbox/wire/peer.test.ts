import { describe, expect, it } from 'vitest';
import { CodedError, WireError } from '../../../sandbox/wire/failure.js';
import { FROM_GUEST } from '../../../sandbox/wire/limits.js';
import { type IncomingRequest, RawJson } from '../../../sandbox/wire/service.js';
import { loopback, makeEnd, rawFrame, silent } from './loopback.js';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('a request is answered with a copy of what was returned', async () => {
  const value = { a: [1, 'ü', null] };
  const { left } = loopback(silent, { ...silent, request: () => value });
  const answer = await left.peer.ask('m', {}).answer;
  expect(answer).toEqual(value);
  expect(answer).not.toBe(value);
});

it('requests go both ways at once, through pieces of any size', async () => {
  const echo = { ...silent, request: (_method: string, params: unknown) => params };
  const { left, right } = loopback(echo, echo, { pieceBytes: 3 });
  const answers = await Promise.all([
    ...[1, 2, 3].map((n) => left.peer.ask('m', n).answer),
    ...[4, 5, 6].map((n) => right.peer.ask('m', n).answer),
  ]);
  expect(answers).toEqual([1, 2, 3, 4, 5, 6]);
});

it('what is said in one job leaves in a few writes', async () => {
  const end = makeEnd(silent, () => {});
  for (let n = 0; n < 100; n += 1) end.peer.notify('log', n);
  await tick();
  expect(end.written).toHaveLength(Math.ceil(100 / 16));
});

it('raw JSON crosses as it is', async () => {
  const { left } = loopback(silent, { ...silent, request: () => new RawJson('{"n":1}') });
  expect(await left.peer.ask('m', new RawJson('[1]')).answer).toEqual({ n: 1 });
});

it('a throw crosses as its name, message and code, without its stack', async () => {
  const { left } = loopback(silent, {
    ...silent,
    request: () => {
      throw new CodedError('INVALID_INPUT', 'no city');
    },
  });
  const error: unknown = await left.peer.ask('m', null).answer.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WireError);
  expect(error).toMatchObject({ message: 'no city', code: 'INVALID_INPUT' });
  expect(error instanceof WireError && error.remote.stack).toBeUndefined();
});

it('a peer counts its calls apart from other requests, until they are answered or cancelled', async () => {
  const never = new Promise<never>(() => {});
  const { left } = loopback(silent, {
    ...silent,
    request: (_method: string, params: unknown) => (params === 'answer' ? null : never),
  });
  const { peer } = left;
  peer.ask('schemas', 'wait').answer.catch(() => {});
  expect([peer.liveRequests, peer.liveCalls]).toEqual([1, 0]);
  const answered = peer.ask('call', 'answer').answer;
  const hook = peer.ask('hook', 'wait');
  hook.answer.catch(() => {});
  peer.ask('event', 'wait').answer.catch(() => {});
  expect([peer.liveRequests, peer.liveCalls]).toEqual([4, 3]);
  await answered;
  expect([peer.liveRequests, peer.liveCalls]).toEqual([3, 2]);
  hook.cancel('enough');
  hook.cancel('again');
  expect([peer.openRequests, peer.liveRequests, peer.liveCalls]).toEqual([3, 2, 1]);
  peer.close(new Error('over'));
  expect([peer.openRequests, peer.liveRequests, peer.liveCalls]).toEqual([0, 0, 0]);
});

it('an answer that is not JSON fails its own request and no other', async () => {
  const { left } = loopback(silent, {
    ...silent,
    request: async (method: string) => (method === 'bad' ? 1n : 'fine'),
  });
  const bad = left.peer.ask('bad', null).answer;
  await expect(left.peer.ask('good', null).answer).resolves.toBe('fine');
  await expect(bad).rejects.toBeInstanceOf(WireError);
});

it('cancelling tells the answerer, who still settles the request', async () => {
  let heard = '';
  const { left } = loopback(silent, {
    ...silent,
    request: (_method: string, _params: unknown, request: IncomingRequest) =>
      new Promise((resolve) => {
        request.onCancel((why) => {
          heard = why;
          resolve('stopped');
        });
      }),
  });
  const asked = left.peer.ask('m', null);
  await tick();
  asked.cancel('enough');
  expect(await asked.answer).toBe('stopped');
  expect(heard).toBe('enough');
});

describe('closing', () => {
  it('rejects every request under way, and every later one, with its error', async () => {
    const { left } = loopback(silent, { ...silent, request: () => new Promise(() => {}) });
    const under = left.peer.ask('m', null).answer;
    left.peer.close(new Error('gone'));
    await expect(under).rejects.toThrow('gone');
    await expect(left.peer.ask('m', null).answer).rejects.toThrow('gone');
  });

  it('tells handlers that are still answering', async () => {
    let heard = '';
    const { left, right } = loopback(silent, {
      ...silent,
      request: (_method: string, _params: unknown, request: IncomingRequest) =>
        new Promise(() => request.onCancel((why) => (heard = why))),
    });
    left.peer.ask('m', null).answer.catch(() => {});
    await tick();
    await tick();
    right.peer.close(new Error('gone'));
    expect(heard).toBe('gone');
  });
});

describe('a hostile peer', () => {
  const hear = (...frames: Buffer[]) => {
    const end = makeEnd({ ...silent, request: () => new Promise(() => {}) }, () => {});
    const mine = end.peer.ask('call', null).answer;
    mine.catch(() => {});
    for (const frame of frames) end.peer.receive(frame);
    return { ...end, mine };
  };
  const say = (message: unknown): Buffer => rawFrame(JSON.stringify(message));

  it.each([
    ['a frame that is not JSON', [rawFrame('{nope')]],
    ['a frame of an unknown kind', [rawFrame('an id, and bytes', 7)]],
    ['a message of an unknown type', [say({ t: 'hello' })]],
    ['an oversized frame', [rawFrame('', 0, FROM_GUEST.maxMessageBytes + 1)]],
    [
      'one request id used twice',
      [say({ t: 'request', i: 1, m: 'a' }), say({ t: 'request', i: 1, m: 'a' })],
    ],
    [
      'a flood of requests',
      Array.from({ length: FROM_GUEST.maxOpenRequests + 1 }, (_, i) =>
        say({ t: 'request', i, m: 'a' }),
      ),
    ],
    [
      'requests that are large, and not answered yet',
      Array.from({ length: 14 }, (_, i) =>
        say({ t: 'request', i, m: 'a', p: 'x'.repeat(FROM_GUEST.maxOpenRequestCharacters / 14) }),
      ),
    ],
    [
      'a flood of streams',
      Array.from({ length: FROM_GUEST.maxOpenStreams + 1 }, (_, s) => say({ t: 'end', s: s + 1 })),
    ],
  ])('is cut off at %s', async (_what, frames) => {
    const { violations, mine, peer, written } = hear(...frames);
    expect(violations).toHaveLength(1);
    await expect(mine).rejects.toBe(violations[0]);
    const before = written.length;
    peer.receive(say({ t: 'reply', i: 1, v: 'too late' }));
    peer.notify('log', null);
    await tick();
    expect(written).toHaveLength(before);
  });

  it('cannot answer what was not asked, nor answer twice', async () => {
    const { mine, peer, violations } = hear(
      say({ t: 'reply', i: 99, v: 'forged' }),
      say({ t: 'reply', i: 1, v: 'first' }),
      say({ t: 'reply', i: 1, v: 'second' }),
    );
    await expect(mine).resolves.toBe('first');
    expect(peer.strayAnswers).toBe(2);
    expect(violations).toEqual([]);
  });

  it('may ask for as much as it likes, if it waits for the answers', () => {
    const end = makeEnd({ ...silent, request: () => null }, () => {});
    const p = 'x'.repeat(FROM_GUEST.maxOpenRequestCharacters / 14);
    for (let i = 0; i < 15; i += 1) end.peer.receive(say({ t: 'request', i, m: 'a', p }));
    expect(end.violations).toEqual([]);
  });

  it('cannot make credit, ends or cancels of nothing do anything', () => {
    const { violations } = hear(
      say({ t: 'credit', s: 5, n: 1000 }),
      say({ t: 'refuse', s: 5, why: '' }),
      say({ t: 'cancel', i: 5, why: '' }),
    );
    expect(violations).toEqual([]);
  });
});
