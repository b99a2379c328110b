import { setImmediate as immediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { makeTurns } from '../../src/scheduler/turns.js';

describe('turns of the event loop', () => {
  it('gives the first its turn at once, and one turn each to the others, in order', async () => {
    const turns = makeTurns();
    expect(turns.take()).toBeUndefined();
    const started: number[] = [];
    const waits = [1, 2, 3].map(async (one) => {
      await turns.take();
      started.push(one);
    });
    const perTurn: number[] = [];
    while (started.length < 3) {
      const before = started.length;
      // oxlint-disable-next-line no-await-in-loop -- each turn is looked at
      await immediate();
      perTurn.push(started.length - before);
    }
    await Promise.all(waits);
    expect(started).toEqual([1, 2, 3]);
    expect(Math.max(...perTurn)).toBe(1);
  });

  it('gives a turn at once again when all that waited had theirs', async () => {
    const turns = makeTurns();
    void turns.take();
    await turns.take();
    await immediate();
    await immediate();
    expect(turns.take()).toBeUndefined();
    expect(turns.take()).toBeInstanceOf(Promise);
  });
});
