import { isRecord } from '../../../sandbox/wire/parse.js';
import { BulkheadError } from '../../errors.js';
import { integrityOf } from '../../plugin/integrity.js';
import type { Machinery } from '../machinery.js';
import { type Frame, makeFrameLog, sayFrame } from './frames.js';
import type { CallRecord } from './record.js';

/** Whether a plugin did again what it did. */
export type ReplayVerdict =
  | { readonly same: true; readonly frames: number }
  | {
      readonly same: false;
      /** Index of the frame that is the first to differ. */
      readonly at: number;
      readonly expected: Frame;
      /** What came instead; `silence` where nothing did in time, `end` where the guest ended. */
      readonly actual: Frame | { readonly silence: number } | { readonly end: string };
    };

export interface ReplayOptions {
  /** How long the plugin may take for what it does next, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number;
}

/**
 * Runs the record's bundle in a fresh guest on what was recorded. The guest reaches nothing: every
 * answer that it gets is the record's. Throws `INVALID_OPTIONS` for a record whose bundle is not the
 * one that it names, or that was cut.
 */
export async function replay(
  record: CallRecord,
  machinery: Pick<Machinery, 'takeHeard'>,
  { timeoutMs = 10_000 }: ReplayOptions = {},
): Promise<ReplayVerdict> {
  checkRecord(record);
  const heard = makeQueue<Frame>();
  let say: (bytes: Uint8Array) => void = () => {};
  let alone = false;
  const read = makeFrameLog('guest', heard.put);
  const guest = machinery.takeHeard({
    open: (write) => {
      say = write;
    },
    said: () => {},
    heard: (bytes) => {
      if (alone) read(bytes);
      return !alone;
    },
  });
  // Guests do not keep their host's process: whoever waits for one does.
  const waiting = setInterval(() => {}, 1_000);
  try {
    await guest.ready;
    // It answers in order: when this has come back, so has everything before it.
    await guest.peer.ask('schemas', { schemas: [] }).answer;
    alone = true;
    for (const [at, frame] of record.frames.entries()) {
      if (frame.by === 'host') sayFrame(withTape(frame, record), say);
      else {
        const actual = await Promise.race([
          heard.take(timeoutMs),
          guest.ended.then(({ detail }) => ({ end: detail })),
        ]);
        if (!isSame(frame, actual, record.node === process.version)) {
          return { same: false, at, expected: frame, actual };
        }
      }
    }
    return { same: true, frames: record.frames.length };
  } finally {
    clearInterval(waiting);
    guest.kill({ cause: 'closed', detail: 'its replay was over' });
  }
}

function checkRecord({ frames, bundle, complete }: CallRecord): void {
  if (!complete) throw invalid('more happened than it has room for');
  const [first] = frames;
  const params =
    first !== undefined &&
    'message' in first &&
    first.message.t === 'request' &&
    first.message.m === 'load'
      ? first.message.p
      : undefined;
  const code = isRecord(params) ? params['code'] : undefined;
  if (typeof code !== 'string') throw invalid('it does not begin with a bundle');
  if (integrityOf(code) !== bundle) throw invalid('its bundle is not the one that it names');
}

/** What is loaded is told to run on the tape. */
function withTape(frame: Frame, { tape }: CallRecord): Frame {
  if (!('message' in frame) || frame.message.t !== 'request' || frame.message.m !== 'load') {
    return frame;
  }
  const { seed, turns, times } = tape;
  const params = isRecord(frame.message.p) ? frame.message.p : {};
  const p = { ...params, tape: { seed, content: { turns, times } } };
  return { ...frame, message: { ...frame.message, p } };
}

function isSame(expected: Frame, actual: object, sameNode: boolean): boolean {
  return (
    JSON.stringify(comparable(expected, sameNode)) === JSON.stringify(comparable(actual, sameNode))
  );
}

/** Another version of Node words its stacks otherwise. */
function comparable(value: unknown, sameNode: boolean): unknown {
  if (sameNode || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => comparable(one, sameNode));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'stack')
      .map(([key, one]) => [key, comparable(one, sameNode)]),
  );
}

interface Queue<Item> {
  put(item: Item): void;
  take(timeoutMs: number): Promise<Item | { readonly silence: number }>;
}

function makeQueue<Item>(): Queue<Item> {
  const waiting: Item[] = [];
  let taker: ((item: Item) => void) | undefined;
  return {
    put: (item) => {
      if (taker === undefined) waiting.push(item);
      else taker(item);
    },
    take: (timeoutMs) =>
      new Promise((resolve) => {
        const first = waiting.shift();
        if (first !== undefined) return resolve(first);
        const timer = setTimeout(() => {
          taker = undefined;
          resolve({ silence: timeoutMs });
        }, timeoutMs);
        taker = (item) => {
          clearTimeout(timer);
          taker = undefined;
          resolve(item);
        };
      }),
  };
}

function invalid(what: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `This record cannot be replayed: ${what}.`, {
    option: 'record',
  });
}
