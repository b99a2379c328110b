import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { makeThrottle } from '../../src/guests/throttle.js';

/** A socket as far as pacing goes: what is pushed is read, and what is written waits. */
function makePipe(): { readonly pipe: Socket; readonly drain: () => void } {
  let written: (() => void) | undefined;
  const pipe = new Duplex({
    read: () => {},
    write: (_chunk, _encoding, done) => {
      written = done;
    },
  });
  return { pipe: pipe as Socket, drain: () => written?.() };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function spin(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('the read throttle', () => {
  it('reads slow messages half of the time', async () => {
    const { pipe } = makePipe();
    let heard = 0;
    pipe.on(
      'data',
      makeThrottle(pipe, () => {
        heard += 1;
        spin(10);
      }),
    );
    for (let said = 0; said < 200; said += 1) pipe.push(Buffer.alloc(1_000));
    const began = performance.now();
    const turns = { count: 0 };
    while (performance.now() - began < 400) {
      await pause(1);
      turns.count += 1;
    }
    // 40 would fit into the time if nothing held them back.
    expect(heard).toBeLessThan(30);
    expect(heard).toBeGreaterThan(2);
    expect(turns.count).toBeGreaterThan(5);
  });

  it('does not read from a guest that does not read itself', async () => {
    const { pipe, drain } = makePipe();
    let heard = 0;
    pipe.on(
      'data',
      makeThrottle(pipe, () => {
        heard += 1;
        pipe.write(Buffer.alloc(512 * 1024));
      }),
    );
    const say = async (): Promise<void> => {
      for (let said = 0; said < 20; said += 1) {
        pipe.push(Buffer.alloc(10));
        await pause(1);
      }
    };
    await say();
    const heldAt = heard;
    expect(pipe.writableLength).toBeLessThan(3 * 1024 * 1024);
    await say();
    expect(heard).toBe(heldAt);
    while (pipe.writableLength > 0) {
      drain();
      await pause(0);
    }
    await expect.poll(() => heard).toBeGreaterThan(heldAt);
  });

  it('reads ordinary messages at once', async () => {
    const { pipe } = makePipe();
    let heard = 0;
    pipe.on(
      'data',
      makeThrottle(pipe, (bytes) => {
        heard += bytes.length;
      }),
    );
    for (let said = 0; said < 1_000; said += 1) pipe.push(Buffer.alloc(100));
    await expect.poll(() => heard).toBe(100_000);
  });
});
