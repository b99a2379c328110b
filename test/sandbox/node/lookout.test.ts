import { describe, expect, it } from 'vitest';
import { type Lookout, makeLookout } from '../../../sandbox/node/lookout.js';

/** A lookout on a clock that stands still, and the looks that it asked for. */
function makeStage(processors = 2) {
  let nowMs = 1_000;
  const asked: (() => void)[] = [];
  const lookout: Lookout = makeLookout({
    now: () => nowMs,
    again: (callback) => asked.push(callback),
    processors,
  });
  return {
    lookout,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Whether it has asked for another look; has it take place. */
    looks: (): boolean => {
      const callback = asked.shift();
      expect(asked).toEqual([]);
      callback?.();
      return callback !== undefined;
    },
    answerAfter: (ms: number) => {
      lookout.wrote();
      nowMs += ms;
      lookout.heard();
    },
  };
}

describe('a guest that has answered', () => {
  it('sleeps at once where nobody is known to call again soon', () => {
    const { lookout, looks, answerAfter } = makeStage();
    lookout.wrote();
    expect(looks()).toBe(false);
    answerAfter(5);
    lookout.wrote();
    expect(looks()).toBe(false);
  });

  it('stays awake for a moment where the last call came as soon, and no longer', () => {
    const { lookout, looks, pass, answerAfter } = makeStage();
    answerAfter(0.05);
    lookout.wrote();
    expect(looks()).toBe(true);
    pass(0.1);
    expect(looks()).toBe(true);
    pass(0.1);
    expect(looks()).toBe(true);
    expect(looks()).toBe(false);
  });

  it('counts a call as soon that came a little later, as it had to be woken, and not in vain', () => {
    const { lookout, looks, pass, answerAfter } = makeStage();
    answerAfter(0.3);
    lookout.wrote();
    expect(looks()).toBe(true);
    pass(0.3);
    expect(looks()).toBe(true);
    expect(looks()).toBe(false);
    // It was awake, so that to be woken is no part of these.
    lookout.heard();
    lookout.wrote();
    expect(looks()).toBe(false);
  });

  it('looks out once, however much it writes, and not once it has heard', () => {
    const { lookout, looks, answerAfter } = makeStage();
    answerAfter(0.05);
    lookout.wrote();
    lookout.wrote();
    expect(looks()).toBe(true);
    lookout.heard();
    lookout.heard();
    expect(looks()).toBe(true);
    expect(looks()).toBe(false);
  });

  it('sleeps again once a call has come late', () => {
    const { lookout, looks, answerAfter } = makeStage();
    answerAfter(0.05);
    answerAfter(1);
    while (looks());
    lookout.wrote();
    expect(looks()).toBe(false);
  });

  it('leaves a single processor to its host', () => {
    const { lookout, looks, answerAfter } = makeStage(1);
    answerAfter(0.05);
    lookout.wrote();
    expect(looks()).toBe(false);
  });
});
