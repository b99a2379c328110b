import { inherits } from 'node:util';
import type * as NodeStream from 'node:stream';
import type * as StreamPromises from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { loadBuiltin } from './load.js';

const { Duplex, PassThrough, Readable, Transform, Writable, finished } =
  await loadBuiltin<typeof NodeStream>('stream');
const { pipeline } = await loadBuiltin<typeof StreamPromises>('stream-promises');

function collect(into: unknown[], options: object = {}): NodeStream.Writable {
  return new Writable({
    ...options,
    write(chunk: unknown, _encoding, done) {
      into.push(chunk);
      setTimeout(done, 1);
    },
  });
}

const upperCase = (): NodeStream.Transform =>
  new Transform({
    transform(chunk: unknown, _encoding, done) {
      done(null, String(chunk).toUpperCase());
    },
    flush(done) {
      this.push('!');
      done();
    },
  });

describe('streams', () => {
  it('flow from an iterable through a transform into a writable', async () => {
    const got: unknown[] = [];
    await pipeline(Readable.from(['a', 'b']), upperCase(), collect(got));
    expect(got.map(String).join('')).toBe('AB!');
  });

  it('are read with for await, to the end', async () => {
    const got: unknown[] = [];
    for await (const chunk of Readable.from([1, 2, 3])) got.push(chunk);
    expect(got).toEqual([1, 2, 3]);
  });

  it('emit pushed chunks in order, and then end', async () => {
    const got: unknown[] = [];
    const stream = new Readable({ read: () => undefined });
    stream.on('data', (chunk) => got.push(String(chunk)));
    const ended = new Promise((resolve) => stream.on('end', resolve));
    stream.push('x');
    stream.push('y');
    stream.push(null);
    await ended;
    expect(got).toEqual(['x', 'y']);
  });

  it('decode characters that lie across chunks', async () => {
    const stream = new Readable({ read: () => undefined, encoding: 'utf8' });
    const bytes = new TextEncoder().encode('é');
    stream.push(bytes.subarray(0, 1));
    stream.push(bytes.subarray(1));
    stream.push(null);
    const got: unknown[] = [];
    for await (const chunk of stream) got.push(chunk);
    expect(got.join('')).toBe('é');
  });

  it('signal back-pressure when a writable is full', async () => {
    const got: unknown[] = [];
    const slow = collect(got, { objectMode: true, highWaterMark: 2 });
    expect([slow.write(1), slow.write(2)]).toEqual([true, false]);
    await new Promise((resolve) => slow.once('drain', resolve));
    expect(got).toEqual([1, 2]);
  });

  it('fail as a pipeline if one fails, and destroy the others', async () => {
    const source = Readable.from(['a']);
    const broken = new Transform({
      transform: (_chunk, _encoding, done) => done(new Error('broken')),
    });
    await expect(pipeline(source, broken, collect([]))).rejects.toThrow('broken');
    expect(source.destroyed).toBe(true);
  });

  it('fail with the error of a generator', async () => {
    const source = Readable.from(
      (async function* () {
        yield 1;
        throw new Error('dry');
      })(),
    );
    await expect(
      (async () => {
        for await (const _ of source);
      })(),
    ).rejects.toThrow('dry');
  });

  it('refuse writes after the end', async () => {
    const stream = collect([]);
    const error = new Promise((resolve) => stream.on('error', resolve));
    stream.end();
    stream.write('late');
    expect(await error).toMatchObject({ code: 'ERR_STREAM_WRITE_AFTER_END' });
  });

  it('pass through functions', async () => {
    const got: unknown[] = [];
    await pipeline(
      ['a', 'b'] as never,
      async function* (source: AsyncIterable<unknown>) {
        for await (const chunk of source) yield `${String(chunk)}!`;
      },
      async (source: AsyncIterable<unknown>) => {
        for await (const chunk of source) got.push(chunk);
      },
    );
    expect(got).toEqual(['a!', 'b!']);
  });

  it('call back when both sides have finished', async () => {
    const through = new PassThrough();
    const done = new Promise<unknown>((resolve) => finished(through, resolve));
    through.end('x');
    through.resume();
    expect(await done).toBeUndefined();
  });

  it('read and write independently as a duplex', async () => {
    const written: string[] = [];
    const duplex = new Duplex({
      read() {
        this.push('out');
        this.push(null);
      },
      write(chunk: unknown, _encoding, done) {
        written.push(String(chunk));
        done();
      },
    });
    duplex.end('in');
    const got: string[] = [];
    for await (const chunk of duplex) got.push(String(chunk));
    expect([written, got]).toEqual([['in'], ['out']]);
  });

  it('leave all names free for subclasses', async () => {
    class Mine extends Transform {
      readonly chunks: string[] = [];
      readonly waiting = 'mine';
      readonly reading = 'mine';
      advance = 'mine';
      override _transform(chunk: unknown, _encoding: string, done: () => void): void {
        this.chunks.push(String(chunk));
        done();
      }
      override _flush(done: () => void): void {
        this.push(this.chunks.join('+'));
        done();
      }
    }
    const got: unknown[] = [];
    await pipeline(Readable.from(['a', 'b', 'c']), new Mine(), collect(got));
    expect(got.map(String)).toEqual(['a+b+c']);
  });

  it('are destroyed by an early exit from a loop', async () => {
    const source = Readable.from([1, 2, 3]);
    for await (const chunk of source) if (chunk === 2) break;
    expect(source.destroyed).toBe(true);
  });

  it('can be subclassed with functions', async () => {
    function Doubler(this: NodeStream.Transform): void {
      Reflect.apply(Transform as never, this, [{ objectMode: true }]);
    }
    inherits(Doubler, Transform);
    Doubler.prototype._transform = function (
      this: NodeStream.Transform,
      chunk: number,
      _encoding: string,
      done: () => void,
    ): void {
      this.push(chunk * 2);
      done();
    };
    const doubler = new (Doubler as never as typeof Transform)();
    const got: unknown[] = [];
    doubler.on('data', (chunk) => got.push(chunk));
    doubler.write(1);
    doubler.end(2);
    await new Promise((resolve) => doubler.on('end', resolve));
    expect(got).toEqual([2, 4]);
  });
});
