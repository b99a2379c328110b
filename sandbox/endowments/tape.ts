import { MAX_TAPE_ENTRIES, type TapeContent, type TapeParams } from '../wire/methods.js';
import type { Parcel } from '../wire/sync.js';
import { fromLatin1, toLatin1 } from './bytes.js';
import type { ClockCapability, CryptoCapability } from './endowment.js';
import { makeSeeded } from './seeded.js';

/**
 * Wraps a plugin's clock, timers and randomness. It records their answers and the order of turns,
 * or replays them in that order.
 *
 * Each host message and each timer gets its own turn, so the order of simultaneous arrivals is
 * recorded.
 */
export interface Tape {
  readonly clock: ClockCapability;
  readonly random: () => number;
  readonly crypto: CryptoCapability;
  /** Records the answer of a synchronous request, or replays it without asking. */
  answer(ask: () => Parcel): Parcel;
  /** Queues a host message for its turn. */
  message(take: () => void): void;
  /** The entries recorded since the last call, or `undefined` during replay. */
  drain(): (TapeContent & { readonly lost?: true }) | undefined;
}

export function makeTape(
  { seed, content }: TapeParams,
  clock: ClockCapability,
  crypto: CryptoCapability,
): Tape {
  const random = makeSeeded(seed);
  const { fillRandom, ...reels } =
    content === undefined ? makeRecorder(clock, crypto) : makePlayer(content, clock);
  return { ...reels, random, crypto: { ...crypto, fillRandom } };
}

type Reels = Omit<Tape, 'random' | 'crypto'> & Pick<CryptoCapability, 'fillRandom'>;

interface Handle {
  readonly number: number;
  readonly real: unknown;
}

const handles = new WeakSet<object>();

function isHandle(handle: unknown): handle is Handle {
  return typeof handle === 'object' && handle !== null && handles.has(handle);
}

function makeRecorder(clock: ClockCapability, crypto: CryptoCapability): Reels {
  let turns: number[] = [];
  let times: number[] = [];
  let entropy: string[] = [];
  let answers: string[] = [];
  let entries = 0;
  let lost = false;
  let reported = false;
  let lastTimer = 0;
  const messages: (() => void)[] = [];

  const room = (): boolean => {
    entries += 1;
    lost ||= entries > MAX_TAPE_ENTRIES;
    return !lost;
  };
  const turn = (which: number): void => {
    if (room()) turns.push(which);
  };
  const read = (value: number): number => {
    const last = times.length - 2;
    if (times[last] === value) times[last + 1] = (times[last + 1] ?? 0) + 1;
    else if (room()) times.push(value, 1);
    return value;
  };
  const next = (): void => {
    turn(MESSAGE);
    messages.shift()?.();
    if (messages.length > 0) clock.setTimeout(next, 0);
  };

  return {
    clock: {
      now: () => read(clock.now()),
      monotonic: () => read(clock.monotonic()),
      setTimeout: (callback, delayMs) => {
        lastTimer += 1;
        const number = lastTimer;
        const fire = (): void => {
          turn(number);
          callback();
        };
        const handle: Handle = { number, real: clock.setTimeout(fire, delayMs) };
        handles.add(handle);
        return handle;
      },
      clearTimeout: (handle) => {
        if (isHandle(handle)) clock.clearTimeout(handle.real);
      },
      queueMicrotask: clock.queueMicrotask,
    },
    answer: (ask) => {
      const parcel = ask();
      if (room()) {
        answers.push(JSON.stringify({ json: parcel.json, body: toLatin1(parcel.body) }));
      }
      return parcel;
    },
    message: (take) => {
      messages.push(take);
      if (messages.length === 1) clock.setTimeout(next, 0);
    },
    // Secrets are never drawn from the seeded generator.
    fillRandom: (bytes) => {
      crypto.fillRandom(bytes);
      if (room()) entropy.push(toHex(bytes));
    },
    drain: () => {
      const isEmpty =
        turns.length === 0 && times.length === 0 && entropy.length === 0 && answers.length === 0;
      if (isEmpty && lost === reported) return undefined;
      reported = lost;
      const content = {
        turns,
        times,
        ...(entropy.length > 0 ? { entropy } : {}),
        ...(answers.length === 0 ? {} : { answers }),
        ...(lost ? { lost } : {}),
      };
      turns = [];
      times = [];
      entropy = [];
      answers = [];
      return content;
    },
  };
}

function makePlayer(
  { turns, times, entropy = [], answers = [] }: TapeContent,
  clock: ClockCapability,
): Reels {
  const messages: (() => void)[] = [];
  const timers = new Map<number, () => void>();
  let lastTimer = 0;
  let at = 0;
  let reading = 0;
  let repeats = 0;
  let drawn = 0;
  let due = false;
  let answered = 0;

  const read = (): number => {
    // At the end of the tape the clock stops.
    const value = times[reading] ?? times.at(-2) ?? 0;
    repeats += 1;
    if (repeats >= (times[reading + 1] ?? Infinity)) {
      reading += 2;
      repeats = 0;
    }
    return value;
  };

  /** Runs the next turn if its message or timer is present. Otherwise replay waits for it. */
  const whose = (): (() => void) | undefined => {
    const turn = turns[at];
    if (turn === undefined || turn === MESSAGE) return messages[0];
    return timers.get(turn);
  };
  const go = (): void => {
    if (due || whose() === undefined) return;
    due = true;
    clock.setTimeout(() => {
      due = false;
      const take = whose();
      const turn = turns[at] ?? MESSAGE;
      at += 1;
      if (turn === MESSAGE) messages.shift();
      else timers.delete(turn);
      take?.();
      go();
    }, 0);
  };

  return {
    clock: {
      now: read,
      monotonic: read,
      setTimeout: (callback) => {
        lastTimer += 1;
        const handle: Handle = { number: lastTimer, real: undefined };
        handles.add(handle);
        timers.set(lastTimer, callback);
        go();
        return handle;
      },
      clearTimeout: (handle) => {
        if (isHandle(handle)) timers.delete(handle.number);
      },
      queueMicrotask: clock.queueMicrotask,
    },
    answer: () => {
      const text = answers[answered];
      answered += 1;
      if (text === undefined) throw new Error('The recording has no further answer.');
      const { json, body } = JSON.parse(text);
      return { json, body: fromLatin1(body) };
    },
    message: (take) => {
      messages.push(take);
      go();
    },
    fillRandom: (bytes) => {
      fillFromHex(bytes, entropy[drawn] ?? '');
      drawn += 1;
    },
    drain: () => undefined,
  };
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes beyond the end of the text become 0. */
function fillFromHex(bytes: Uint8Array, text: string): void {
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16) || 0;
  }
}

/** The tape's mark for a host message. */
const MESSAGE = 0;
