import { MAX_TAPE_ENTRIES, type TapeContent, type TapeParams } from '../wire/tape.js';
import type { ClockPower } from './endowment.js';
import { makeSeeded } from './seeded.js';

/**
 * Stands between a plugin and its clock, its timers and its randomness, and writes down what they
 * said and in which order things had their turn; or says it again, in that order.
 *
 * Messages of the host and timers each get a turn of their own: what becomes of two that arrive
 * together is then no matter of chance.
 */
export interface Tape {
  readonly clock: ClockPower;
  readonly random: () => number;
  /** Gives a message its turn. */
  message(take: () => void): void;
  /** What was written down since this was last asked; nothing where it runs on a tape. */
  drain(): (TapeContent & { readonly lost?: true }) | undefined;
}

export function makeTape({ seed, content }: TapeParams, clock: ClockPower): Tape {
  const random = makeSeeded(seed);
  return content === undefined
    ? { ...makeRecorder(clock), random }
    : { ...makePlayer(content, clock), random };
}

type Reels = Omit<Tape, 'random'>;

interface Handle {
  readonly number: number;
  readonly real: unknown;
}

const handles = new WeakSet<object>();

function isHandle(handle: unknown): handle is Handle {
  return typeof handle === 'object' && handle !== null && handles.has(handle);
}

function makeRecorder(clock: ClockPower): Reels {
  let turns: number[] = [];
  let times: number[] = [];
  let entries = 0;
  let lost = false;
  let told = false;
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
    message: (take) => {
      messages.push(take);
      if (messages.length === 1) clock.setTimeout(next, 0);
    },
    drain: () => {
      if (turns.length === 0 && times.length === 0 && lost === told) return undefined;
      told = lost;
      const content = { turns, times, ...(lost ? { lost } : {}) };
      turns = [];
      times = [];
      return content;
    },
  };
}

function makePlayer({ turns, times }: TapeContent, clock: ClockPower): Reels {
  const messages: (() => void)[] = [];
  const timers = new Map<number, () => void>();
  let lastTimer = 0;
  let at = 0;
  let reading = 0;
  let repeats = 0;
  let due = false;

  const read = (): number => {
    // Where the tape is at its end the clock stands still.
    const value = times[reading] ?? times.at(-2) ?? 0;
    repeats += 1;
    if (repeats >= (times[reading + 1] ?? Infinity)) {
      reading += 2;
      repeats = 0;
    }
    return value;
  };

  /** Whose turn it is, if it is there: else nothing goes on until it comes. */
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
    message: (take) => {
      messages.push(take);
      go();
    },
    drain: () => undefined,
  };
}

/** The turn of a message of the host's. */
const MESSAGE = 0;
