import { describe, expect, it } from 'vitest';
import { makeSemaphore } from '../../../sandbox/wire/semaphore.js';

const { signal } = new AbortController();

function semaphoreOf(maxActive: number, maxQueued: number) {
  return makeSemaphore({ maxActive, maxQueued, full: () => new Error('full') });
}

describe('a semaphore', () => {
  it('admits the first tasks at once and the others in order of arrival', async () => {
    const semaphore = semaphoreOf(1, 9);
    const release = await semaphore.acquire(signal);
    const order: number[] = [];
    const rest = [1, 2, 3].map(async (name) => {
      const releaseOne = await semaphore.acquire(signal);
      order.push(name);
      releaseOne();
    });
    release();
    await Promise.all(rest);
    expect(order).toEqual([1, 2, 3]);
    expect(semaphore.active).toBe(0);
  });

  it('counts only the first release of a slot', async () => {
    const semaphore = semaphoreOf(2, 0);
    const [release] = await Promise.all([semaphore.acquire(signal), semaphore.acquire(signal)]);
    release();
    release();
    expect(semaphore.active).toBe(1);
  });

  it('refuses a task if the queue is full', async () => {
    const semaphore = semaphoreOf(1, 1);
    await semaphore.acquire(signal);
    void semaphore.acquire(signal);
    await expect(semaphore.acquire(signal)).rejects.toThrow('full');
    expect(() => semaphore.enter()).toThrow('full');
  });

  it('removes a task from the queue if its signal aborts', async () => {
    const semaphore = semaphoreOf(1, 1);
    const release = await semaphore.acquire(signal);
    const stop = new AbortController();
    const waiting = semaphore.acquire(stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const next = semaphore.acquire(signal);
    release();
    await next;
    expect(semaphore.active).toBe(1);
  });

  it('passes the slot on if the signal aborts in the job that admitted the task', async () => {
    const semaphore = semaphoreOf(1, 2);
    const release = await semaphore.acquire(signal);
    const stop = new AbortController();
    const stopped = semaphore.acquire(stop.signal);
    const next = semaphore.acquire(signal);
    release();
    stop.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    await next;
    expect(semaphore.active).toBe(1);
  });

  it('refuses a signal that has aborted already', async () => {
    const semaphore = semaphoreOf(1, 0);
    await expect(semaphore.acquire(AbortSignal.abort('before'))).rejects.toBe('before');
    expect(semaphore.active).toBe(0);
  });

  it('lets a waiting task leave before it is admitted', async () => {
    const semaphore = makeSemaphore({ maxActive: 1 });
    const first = semaphore.enter();
    const second = semaphore.enter();
    const third = semaphore.enter();
    second.leave();
    first.leave();
    await third.ready;
    expect(semaphore.active).toBe(1);
    third.leave();
    expect(semaphore.active).toBe(0);
  });
});
