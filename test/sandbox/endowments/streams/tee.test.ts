import { describe, expect, test } from 'vitest';
import { ReadableStream } from '../../../../sandbox/endowments/streams/readable-stream.js';
import { type Controller, readAll } from './stream-tools.js';

describe('tee', () => {
  test('both branches get every chunk, and the source stops when both are cancelled', async () => {
    const [one, other] = new ReadableStream({
      start: (controller: Controller) => {
        controller.enqueue(1);
        controller.enqueue(2);
        controller.close();
      },
    }).tee();
    expect(await Promise.all([readAll(one), readAll(other)])).toEqual([
      [1, 2],
      [1, 2],
    ]);

    const reasons: unknown[] = [];
    const [left, right] = new ReadableStream({
      cancel: (reason: unknown) => {
        reasons.push(reason);
      },
    }).tee() as [ReadableStream, ReadableStream];
    const leaving = left.cancel('l');
    expect(reasons).toEqual([]);
    await Promise.all([leaving, right.cancel('r')]);
    expect(reasons).toEqual([['l', 'r']]);
  });

  test('an error reaches both branches', async () => {
    const boom = new Error('boom');
    const [one, other] = new ReadableStream({
      pull: () => {
        throw boom;
      },
    }).tee();
    await expect(readAll(one)).rejects.toBe(boom);
    await expect(readAll(other)).rejects.toBe(boom);
  });
});
