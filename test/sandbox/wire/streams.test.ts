import { describe, expect, it } from 'vitest';
import { STREAM_WINDOW_BYTES } from '../../../sandbox/wire/limits.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { chunkFrame, loopback, makeEnd, rawFrame, silent } from './loopback.js';

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

interface Tap extends ByteSource {
  readonly pulled: () => number;
  readonly cancelled: () => string | undefined;
}

/** Gives `total` bytes in pieces of `size`, or fails at the end. */
function makeTap(total: number, size: number, failure?: Error): Tap {
  let given = 0;
  let why: string | undefined;
  return {
    pull: async () => {
      if (given >= total) {
        if (failure !== undefined) throw failure;
        return undefined;
      }
      const bytes = new Uint8Array(Math.min(size, total - given)).fill(given / size);
      given += bytes.length;
      return bytes;
    },
    cancel: (reason) => {
      why = reason;
    },
    pulled: () => given,
    cancelled: () => why,
  };
}

async function drain(source: ByteSource): Promise<number> {
  let total = 0;
  for (;;) {
    const bytes = await source.pull();
    if (bytes === undefined) return total;
    total += bytes.length;
  }
}

describe('a stream', () => {
  it('delivers every byte in order, whatever the sizes', async () => {
    const { left, right } = loopback(silent, silent, { pieceBytes: 10_000 });
    const id = left.peer.openStream(makeTap(1_000_000, 7_777));
    expect(await drain(right.peer.acceptStream(id))).toBe(1_000_000);
  });

  it('buffers one window if the receiver does not read, and stops the sender', async () => {
    const { left, right } = loopback(silent, silent);
    const tap = makeTap(10_000_000, 50_000);
    const id = left.peer.openStream(tap);
    await settle();
    expect(tap.pulled()).toBeLessThanOrEqual(STREAM_WINDOW_BYTES + 50_000);
    expect(await drain(right.peer.acceptStream(id))).toBe(10_000_000);
  });

  it('delivers an error of the source after the bytes before it', async () => {
    const { left, right } = loopback(silent, silent);
    const source = right.peer.acceptStream(
      left.peer.openStream(makeTap(10, 5, new Error('cut off'))),
    );
    expect((await source.pull())?.length).toBe(5);
    expect((await source.pull())?.length).toBe(5);
    await expect(source.pull()).rejects.toThrow('cut off');
  });

  it('stops its source when the receiver cancels', async () => {
    const { left, right } = loopback(silent, silent);
    const tap = makeTap(10_000_000, 1_000);
    const source = right.peer.acceptStream(left.peer.openStream(tap));
    await source.pull();
    source.cancel('enough');
    await settle();
    expect(tap.cancelled()).toBe('enough');
    expect(tap.pulled()).toBeLessThan(10_000_000);
  });

  it('ends on both sides when the connection closes', async () => {
    const { left, right } = loopback(silent, silent);
    const tap = makeTap(10_000_000, 1_000);
    const source = right.peer.acceptStream(left.peer.openStream(tap));
    await settle();
    left.peer.close(new Error('gone'));
    expect(tap.cancelled()).toBe('gone');
    right.peer.close(new Error('gone too'));
    await expect(drain(source)).rejects.toThrow('gone too');
  });

  it('ends the peer if it sends more bytes than its credit', () => {
    const end = makeEnd(silent, () => {});
    for (let sent = 0; sent <= STREAM_WINDOW_BYTES; sent += 65_536) {
      end.peer.receive(chunkFrame(1, new Uint8Array(65_536)));
    }
    expect(end.violations.map(String)).toEqual([expect.stringContaining('overran its credit')]);
  });

  it('ends the peer on an empty chunk, which no credit would count', () => {
    const end = makeEnd(silent, () => {});
    end.peer.receive(chunkFrame(1, new Uint8Array(0)));
    expect(end.violations.map(String)).toEqual([expect.stringContaining('an empty chunk')]);
  });

  it('buffers a window of single bytes as a few pieces', async () => {
    const end = makeEnd(silent, () => {});
    for (let sent = 0; sent < 10_000; sent += 1) {
      end.peer.receive(chunkFrame(1, new Uint8Array(1).fill(sent)));
    }
    end.peer.receive(rawFrame('{"t":"end","s":1}'));
    const source = end.peer.acceptStream(1);
    const pieces: Uint8Array[] = [];
    for (;;) {
      const piece = await source.pull();
      if (piece === undefined) break;
      pieces.push(piece);
    }
    expect(pieces.length).toBeLessThan(20);
    expect(Buffer.concat(pieces)).toEqual(
      Buffer.from(Array.from({ length: 10_000 }, (_, at) => at)),
    );
  });

  it('does not mix with another stream', async () => {
    const end = makeEnd(silent, () => {});
    for (const [id, byte] of [
      [1, 1],
      [2, 2],
      [1, 1],
      [2, 2],
    ] as const) {
      end.peer.receive(chunkFrame(id, new Uint8Array(4).fill(byte)));
    }
    end.peer.receive(rawFrame('{"t":"end","s":1}'));
    const first = end.peer.acceptStream(1);
    expect(await first.pull()).toEqual(new Uint8Array(8).fill(1));
    expect(await first.pull()).toBeUndefined();
  });

  it('is delivered even if it is announced after a later one has begun', async () => {
    const end = makeEnd(silent, () => {});
    end.peer.receive(chunkFrame(3, new Uint8Array([3])));
    end.peer.receive(chunkFrame(2, new Uint8Array([2])));
    const [first, second] = [end.peer.acceptStream(1), end.peer.acceptStream(2)];
    end.peer.receive(chunkFrame(1, new Uint8Array([1])));
    expect(await first.pull()).toEqual(new Uint8Array([1]));
    expect(await second.pull()).toEqual(new Uint8Array([2]));
    second.cancel('enough');
    expect(() => end.peer.acceptStream(2)).toThrow(/not open/);
  });

  it('is not accepted if its id is not a whole number', () => {
    const end = makeEnd(silent, () => {});
    for (const id of [0.5, 1.25, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => end.peer.acceptStream(id)).toThrow(/of the number/);
    }
  });

  it('ends the peer if its id is far ahead of all others', () => {
    const end = makeEnd(silent, () => {});
    end.peer.receive(chunkFrame(0xffff_ffff, new Uint8Array(1)));
    expect(end.violations.map(String)).toEqual([expect.stringContaining('far ahead')]);
  });

  it('is delivered once, and its id is not opened again', async () => {
    const end = makeEnd(silent, () => {});
    end.peer.receive(chunkFrame(1, new Uint8Array(1)));
    const source = end.peer.acceptStream(1);
    expect(() => end.peer.acceptStream(1)).toThrow(/not open/);
    end.peer.receive(rawFrame('{"t":"end","s":1}'));
    await source.pull();
    expect(await source.pull()).toBeUndefined();
    end.peer.receive(chunkFrame(1, new Uint8Array(1)));
    expect(() => end.peer.acceptStream(1)).toThrow(/not open/);
  });
});
