import { describe, expect, test, vi } from 'vitest';
import { ReadableStream } from '../../../../sandbox/endowments/streams/readable-stream.js';
import { type Controller, readAll, readerOf } from './stream-tools.js';

describe('ReadableStream', () => {
  test('chunks are read in order, then the end', async () => {
    const stream = new ReadableStream({
      start: (controller: Controller) => {
        controller.enqueue('a');
        controller.enqueue('b');
        controller.close();
      },
    });
    expect(await readAll(stream)).toEqual(['a', 'b']);
    expect(stream.locked).toBe(false);
  });

  test('a source is pulled one at a time, as far as its high-water mark', async () => {
    let pulls = 0;
    let active = 0;
    let most = 0;
    const stream = new ReadableStream(
      {
        pull: async (controller: Controller) => {
          active += 1;
          most = Math.max(most, active);
          pulls += 1;
          await new Promise((resolve) => {
            setTimeout(resolve, 1);
          });
          controller.enqueue(pulls);
          active -= 1;
        },
      },
      { highWaterMark: 3 },
    );
    await vi.waitUntil(() => pulls === 3, 20_000);
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
    expect([pulls, most]).toEqual([3, 1]);
    expect(await readerOf(stream).read()).toEqual({ done: false, value: 1 });
  });

  test('the strategy’s size counts, and an invalid size fails the stream', async () => {
    let size: number | null = 0;
    const stream = new ReadableStream(
      {
        start: (controller: Controller) => {
          controller.enqueue('four');
          size = controller.desiredSize;
        },
      },
      { highWaterMark: 10, size: (chunk: string) => chunk.length },
    );
    expect(size).toBe(6);
    expect(await readerOf(stream).read()).toEqual({ done: false, value: 'four' });
    expect(
      () =>
        new ReadableStream(
          { start: (controller: Controller) => controller.enqueue('x') },
          { size: () => NaN },
        ),
    ).toThrow(RangeError);
  });

  test('a cancellation stops the source and ends waiting reads', async () => {
    let reason: unknown;
    const stream = new ReadableStream({
      cancel: (why: unknown) => {
        reason = why;
      },
    });
    const reader = readerOf(stream);
    const waiting = reader.read();
    await expect(stream.cancel()).rejects.toThrow(TypeError);
    await reader.cancel('enough');
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(reason).toBe('enough');
    expect(await reader.closed).toBeUndefined();
  });

  test('every read rejects with the error of the source', async () => {
    const boom = new Error('boom');
    for (const source of [
      { start: () => Promise.reject(boom) },
      {
        pull: () => {
          throw boom;
        },
      },
      { pull: (controller: Controller) => controller.error(boom) },
    ]) {
      const reader = readerOf(new ReadableStream(source));
      await expect(reader.read()).rejects.toBe(boom);
      await expect(reader.read()).rejects.toBe(boom);
      await expect(reader.closed).rejects.toBe(boom);
    }
    expect(
      () =>
        new ReadableStream({
          start: () => {
            throw boom;
          },
        }),
    ).toThrow(boom);
  });

  test('a released reader fails, and another can lock the stream', async () => {
    const stream = new ReadableStream({ start: (controller: Controller) => controller.enqueue(1) });
    const first = readerOf(stream);
    expect(() => stream.getReader()).toThrow('The stream is locked to a reader');
    await first.read();
    const waiting = first.read();
    first.releaseLock();
    await expect(waiting).rejects.toThrow(TypeError);
    await expect(first.read()).rejects.toThrow(TypeError);
    await expect(first.closed).rejects.toThrow(TypeError);
    await expect(first.cancel()).rejects.toThrow(TypeError);
    expect(stream.locked).toBe(false);
    readerOf(stream);
  });

  test('an early exit from an iteration cancels the stream, unless preventCancel is set', async () => {
    let cancelled = 0;
    const make = (): ReadableStream =>
      new ReadableStream({
        pull: (controller: Controller) => controller.enqueue(1),
        cancel: () => {
          cancelled += 1;
        },
      });
    const left = make();
    for await (const chunk of left as unknown as AsyncIterable<unknown>) if (chunk === 1) break;
    expect([cancelled, left.locked]).toEqual([1, false]);
    const kept = make();
    const values = { [Symbol.asyncIterator]: () => kept.values({ preventCancel: true }) };
    for await (const chunk of values) if (chunk === 1) break;
    expect([cancelled, kept.locked]).toEqual([1, false]);
  });

  test('a stream of bytes accepts views and returns copies', async () => {
    const bytes = new Uint8Array([1, 2]);
    const stream = new ReadableStream({
      type: 'bytes',
      start: (controller: Controller) => {
        controller.enqueue(bytes);
        bytes.fill(9);
        expect(() => controller.enqueue('text')).toThrow(TypeError);
        controller.close();
        expect(() => controller.enqueue(bytes)).toThrow(TypeError);
        expect(() => controller.close()).toThrow(TypeError);
      },
    });
    expect(await readAll(stream)).toEqual([new Uint8Array([1, 2])]);
  });

  test('a stream can be made from an iterable', async () => {
    const later = async function* (): AsyncGenerator<number> {
      yield 1;
      yield 2;
    };
    expect(await readAll(ReadableStream.from([1, Promise.resolve(2)]))).toEqual([1, 2]);
    expect(await readAll(ReadableStream.from('ab'))).toEqual(['a', 'b']);
    expect(await readAll(ReadableStream.from(later()))).toEqual([1, 2]);
    for (const none of [1, {}, null, { [Symbol.iterator]: () => 1 }]) {
      expect(() => ReadableStream.from(none)).toThrow(TypeError);
    }
  });

  test('a source’s methods are read once, and called on the source', async () => {
    let reads = 0;
    const seen: unknown[] = [];
    const source = {
      get pull() {
        reads += 1;
        return function (this: unknown, controller: Controller) {
          seen.push(this === source);
          controller.close();
        };
      },
    };
    await readAll(new ReadableStream(source));
    expect([reads, seen]).toEqual([1, [true]]);
    for (const bad of [{ pull: 1 }, { type: 'odd' }, 5]) {
      expect(() => new ReadableStream(bad)).toThrow(/stream/i);
    }
  });

  test('a thenable from a source is awaited and does no harm', async () => {
    let controller: Controller | undefined;
    const stream = new ReadableStream({
      start: (given: Controller) => {
        controller = given;
        const hostile = Promise.resolve();
        const then = (resolve: () => void): never => {
          resolve();
          resolve();
          throw new Error('late');
        };
        Reflect.defineProperty(hostile, ['th', 'en'].join(''), { value: then });
        return hostile;
      },
      pull: (given: Controller) => given.enqueue('pulled'),
    });
    expect(await readerOf(stream).read()).toEqual({ done: false, value: 'pulled' });
    expect(controller?.desiredSize).toBe(0);
  });
});
