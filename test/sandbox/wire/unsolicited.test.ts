import { describe, expect, it } from 'vitest';
import { FROM_GUEST } from '../../../sandbox/wire/limits.js';
import { makeUnsolicitedMeter } from '../../../sandbox/wire/unsolicited.js';
import { makeEnd, rawFrame, silent } from './loopback.js';

const limits = {
  ...FROM_GUEST,
  maxUnsolicitedPerSecond: 3,
  maxUnsolicitedCharactersPerSecond: 100,
};

describe('the limit of unsolicited messages', () => {
  it('accepts a fixed number per second, and the next is a violation', () => {
    const clock = { now: 0 };
    const count = makeUnsolicitedMeter(limits, () => clock.now);
    for (let n = 0; n < 3; n += 1) count(1);
    expect(() => count(1)).toThrow('not requested');
  });

  it('also counts the bytes of a few large messages', () => {
    const count = makeUnsolicitedMeter(limits, () => 0);
    count(60);
    expect(() => count(60)).toThrow('120 characters');
  });

  it('starts again at zero each second', () => {
    const clock = { now: 0 };
    const count = makeUnsolicitedMeter(limits, () => clock.now);
    for (clock.now = 0; clock.now < 100_000; clock.now += 400) count(30);
    // The same without the pauses is a flood.
    expect(() => {
      for (let n = 0; n < 250; n += 1) count(30);
    }).toThrow('not requested');
  });

  it.each([
    ['notices', '{"t":"notice","m":"log","p":null}'],
    ['answers that are not awaited', '{"t":"reply","i":7,"v":null}'],
    ['failures that are not awaited', '{"t":"failure","i":7,"e":{"name":"","message":""}}'],
    ['cancels of no request', '{"t":"cancel","i":7,"why":""}'],
    ['credits of no stream', '{"t":"credit","s":7,"n":1}'],
    ['refusals of no stream', '{"t":"refuse","s":7,"why":""}'],
  ])('ends the peer on a flood of %s', (_, text) => {
    const { peer, violations } = makeEnd(silent, () => {}, limits);
    for (let n = 0; n < 10; n += 1) peer.receive(rawFrame(text));
    expect(violations).toHaveLength(1);
  });

  it('does not count expected answers', async () => {
    const { peer, violations } = makeEnd(silent, () => {}, limits);
    const answers = Array.from({ length: 50 }, () => peer.ask('m', null).answer);
    for (let id = 1; id <= 50; id += 1) peer.receive(rawFrame(`{"t":"reply","i":${id},"v":${id}}`));
    expect((await Promise.all(answers)).at(-1)).toBe(50);
    expect(violations).toEqual([]);
  });
});
