import { expect, it } from 'vitest';
import { FROM_GUEST } from '../../../sandbox/wire/limits.js';
import { makeUnaskedMeter } from '../../../sandbox/wire/unasked.js';
import { makeEnd, rawFrame, silent } from './loopback.js';

const limits = { ...FROM_GUEST, maxUnaskedPerSecond: 3, maxUnaskedCharactersPerSecond: 100 };

it('so many messages in one second are heard, and the next one is a violation', () => {
  const clock = { now: 0 };
  const count = makeUnaskedMeter(limits, () => clock.now);
  for (let n = 0; n < 3; n += 1) count(1);
  expect(() => count(1)).toThrow('nobody asked for');
});

it('a few large ones are a violation too', () => {
  const count = makeUnaskedMeter(limits, () => 0);
  count(60);
  expect(() => count(60)).toThrow('120 characters');
});

it('a new second begins with nothing said', () => {
  const clock = { now: 0 };
  const count = makeUnaskedMeter(limits, () => clock.now);
  expect(() => {
    for (clock.now = 0; clock.now < 100_000; clock.now += 400) count(30);
  }).not.toThrow();
});

it.each([
  ['notices', '{"t":"notice","m":"log","p":null}'],
  ['answers that nobody waits for', '{"t":"reply","i":7,"v":null}'],
  ['failures that nobody waits for', '{"t":"failure","i":7,"e":{"name":"","message":""}}'],
  ['cancels of no request', '{"t":"cancel","i":7,"why":""}'],
  ['credits of no stream', '{"t":"credit","s":7,"n":1}'],
  ['refusals of no stream', '{"t":"refuse","s":7,"why":""}'],
])('a flood of %s ends the peer', (_, text) => {
  const { peer, violations } = makeEnd(silent, () => {}, limits);
  for (let n = 0; n < 10; n += 1) peer.receive(rawFrame(text));
  expect(violations).toHaveLength(1);
});

it('answers that are waited for are no flood', async () => {
  const { peer, violations } = makeEnd(silent, () => {}, limits);
  const answers = Array.from({ length: 50 }, () => peer.ask('m', null).answer);
  for (let id = 1; id <= 50; id += 1) peer.receive(rawFrame(`{"t":"reply","i":${id},"v":${id}}`));
  expect((await Promise.all(answers)).at(-1)).toBe(50);
  expect(violations).toEqual([]);
});
