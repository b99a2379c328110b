import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClockCapability, CryptoCapability } from '../../../sandbox/endowments/endowment.js';
import { makeSeeded } from '../../../sandbox/endowments/seeded.js';
import { makeTape, type Tape } from '../../../sandbox/endowments/tape.js';
import { MAX_TAPE_ENTRIES, type TapeContent } from '../../../sandbox/wire/methods.js';

/** A clock that stands still until it is told to go on, and fires what is due then. */
function makeClock(): ClockCapability & { go(): void; time: number } {
  let due: { at: number; order: number; callback: () => void }[] = [];
  let order = 0;
  const clock = {
    time: 0,
    now: () => 1_000 + clock.time,
    monotonic: () => clock.time,
    setTimeout: (callback: () => void, delayMs: number) => {
      order += 1;
      const timer = { at: clock.time + Math.max(1, delayMs), order, callback };
      due.push(timer);
      return timer;
    },
    clearTimeout: (handle: unknown) => {
      due = due.filter((timer) => timer !== handle);
    },
    queueMicrotask,
    go: () => {
      while (due.length > 0) {
        const [next] = due.toSorted((a, b) => a.at - b.at || a.order - b.order);
        if (next === undefined) return;
        due = due.filter((timer) => timer !== next);
        clock.time = Math.max(clock.time, next.at);
        next.callback();
      }
    },
  };
  return clock;
}

/** A program that says when what happened; what it does next depends on what it sees. */
function runOn(tape: Tape, delays: readonly number[], said: string[]): void {
  const start = (delay: number, index: number): void => {
    const handle = tape.clock.setTimeout(() => {
      said.push(`timer ${index} at ${tape.clock.now()} dice ${tape.random()}`);
      if (tape.random() < 0.3) start(delay + 1, index + 100);
    }, delay);
    if (tape.random() < 0.2) tape.clock.clearTimeout(handle);
  };
  delays.forEach(start);
}

const seed = [1, 2, 3, 4];

/** Draws 1, 2, 3 … as the system's randomness. */
function makeCrypto(): CryptoCapability {
  let drawn = 0;
  return {
    fillRandom: (bytes) => {
      drawn += 1;
      bytes.fill(drawn);
    },
    digest: () => new Uint8Array(0),
    hmac: () => new Uint8Array(0),
  };
}

describe('a tape', () => {
  it('replays the recorded order and readings', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 12 }),
        fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 6 }),
        (delays, messages) => {
          const clock = makeClock();
          const tape = makeTape({ seed }, clock, makeCrypto());
          const recorded: string[] = [];
          runOn(tape, delays, recorded);
          messages.forEach((at, index) =>
            clock.setTimeout(
              () =>
                tape.message(() => recorded.push(`message ${index} at ${tape.clock.monotonic()}`)),
              at,
            ),
          );
          clock.go();
          const content = tape.drain() ?? { turns: [], times: [] };

          const later = makeClock();
          later.time = 77;
          const player = makeTape({ seed, content }, later, makeCrypto());
          const played: string[] = [];
          runOn(player, delays, played);
          // Messages come in the order in which they came, at whatever time.
          const order = recorded.flatMap((line) => /^message (\d+)/.exec(line)?.[1] ?? []);
          for (const index of order) {
            player.message(() => played.push(`message ${index} at ${player.clock.monotonic()}`));
          }
          later.go();
          return JSON.stringify(played) === JSON.stringify(recorded);
        },
      ),
    );
  });

  it('gives each message its own turn', () => {
    const clock = makeClock();
    const tape = makeTape({ seed }, clock, makeCrypto());
    const said: string[] = [];
    tape.message(() => said.push('a'));
    tape.message(() => said.push('b'));
    expect(said).toEqual([]);
    clock.go();
    expect(said).toEqual(['a', 'b']);
    expect(tape.drain()).toMatchObject({ turns: [0, 0] });
  });

  it('counts equal readings, and records different ones', () => {
    const clock = makeClock();
    const tape = makeTape({ seed }, clock, makeCrypto());
    for (let count = 0; count < 1_000; count += 1) tape.clock.now();
    clock.time = 5;
    tape.clock.now();
    expect(tape.drain()).toEqual({ turns: [], times: [1_000, 1_000, 1_005, 1] });
    expect(tape.drain()).toBeUndefined();
  });

  it('reports that it is full, even after it was drained', () => {
    const clock = makeClock();
    const tape = makeTape({ seed }, clock, makeCrypto());
    for (let count = 0; count < MAX_TAPE_ENTRIES; count += 1) {
      clock.time = count;
      tape.clock.now();
    }
    expect(tape.drain()).not.toHaveProperty('lost');
    clock.time += 1;
    tape.clock.now();
    expect(tape.drain()).toMatchObject({ lost: true });
  });

  it('stops its clock at its end, and waits for a missing message', () => {
    const content: TapeContent = { turns: [7], times: [1_000, 2] };
    const clock = makeClock();
    const tape = makeTape({ seed, content }, clock, makeCrypto());
    const said: number[] = [];
    tape.clock.setTimeout(() => said.push(tape.clock.now()), 1);
    tape.message(() => said.push(-1));
    clock.go();
    expect([tape.clock.now(), tape.clock.now(), tape.clock.now()]).toEqual([1_000, 1_000, 1_000]);
    expect(said).toEqual([]);
  });

  it('has handles that lead to no platform object', () => {
    const clock = makeClock();
    const tape = makeTape({ seed }, clock, makeCrypto());
    tape.clock.clearTimeout({ number: 1, real: {} });
    tape.clock.clearTimeout(undefined);
    expect(tape.drain()).toBeUndefined();
  });
});

describe('seeded numbers', () => {
  it('depend on their seed only', () => {
    const draw = (from: readonly number[]): number[] => {
      const next = makeSeeded(from);
      return Array.from({ length: 5 }, next);
    };
    expect(draw(seed)).toEqual(draw(seed));
    expect(draw(seed)).not.toEqual(draw([1, 2, 3, 5]));
  });

  it('are spread evenly from 0 to 1', () => {
    const next = makeSeeded([9, 8, 7, 6]);
    const counts = Array.from({ length: 10 }, () => 0);
    for (let count = 0; count < 10_000; count += 1) {
      const at = Math.floor(next() * 10);
      counts[at] = (counts[at] ?? 0) + 1;
    }
    expect(counts).toHaveLength(10);
    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });

  it('replays the recorded draws of cryptographic randomness, not seeded ones', () => {
    const tape = makeTape({ seed }, makeClock(), makeCrypto());
    const [one, other] = [new Uint8Array(2), new Uint8Array(3)];
    tape.crypto.fillRandom(one);
    tape.crypto.fillRandom(other);
    const content = tape.drain();
    expect(content?.entropy).toEqual(['0101', '020202']);

    const player = makeTape({ seed, content: { turns: [], times: [], ...content } }, makeClock(), {
      ...makeCrypto(),
      fillRandom: () => expect.unreachable('a replay reads the system'),
    });
    const [first, second, beyond] = [new Uint8Array(2), new Uint8Array(3), new Uint8Array([9])];
    for (const bytes of [first, second, beyond]) player.crypto.fillRandom(bytes);
    expect([...first, ...second, ...beyond]).toEqual([1, 1, 2, 2, 2, 0]);
  });
});
