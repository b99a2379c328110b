import { isRecord } from '../../../sandbox/wire/json.js';
import { SQLITE_CODE } from '../../../sandbox/wire/sync.js';
import { BulkheadError } from '../../errors.js';
import { integrityOf } from '../../plugin/integrity.js';
import type { Bundle } from '../../plugin/plugin.js';
import type { GuestSource } from '../instance/guest-source.js';
import { type Brokers, makeRequestGate } from '../instance/request-gate.js';
import { replayMode } from '../instance/request-mode.js';
import { readSqlite } from '../node/sqlite-code.js';
import type { AcceptedPlugins } from '../types/settings.js';
import type { CallRecording, Frame } from '../types/recording.js';
import { makeFrameLog, sayFrame } from './frames.js';
import { digestOf } from './recording.js';

/** Whether the plugin repeated its recorded behaviour. */
export type ReplayVerdict =
  | { readonly same: true; readonly frames: number }
  | {
      readonly same: false;
      /** Index of the first frame that differs. */
      readonly at: number;
      readonly expected: Frame;
      /** The actual frame. `silence`: no frame within that many milliseconds. `end`: the guest ended. */
      readonly actual: Frame | { readonly silence: number } | { readonly end: string };
    };

export interface ReplayOptions {
  /** Longest wait for the plugin's next frame, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number;
  /**
   * Whether the current code of the installed plugin runs in place of the recorded code, as a regression
   * test. What it describes when it loads may differ. Default: false.
   */
  readonly current?: boolean;
}

/** The code that a replay runs in place of the recorded code. */
export type ReplayedCode = Pick<Bundle, 'code' | 'assignedGlobals'>;

/**
 * Runs the recorded bundle in a new guest. All answers come from the recording, and the gate refuses
 * every other request. Throws `INVALID_OPTIONS` if the recording is incomplete, or if the hash of its
 * bundle does not match. With a lock file, throws `NOT_LOCKED` unless the code is of an accepted version.
 *
 * @param code runs in place of the recorded bundle. Default: the recorded bundle
 */
export async function replay(
  recording: CallRecording,
  guests: Pick<GuestSource, 'takeTapped'>,
  lock: AcceptedPlugins | undefined,
  { timeoutMs = 10_000 }: ReplayOptions = {},
  code?: ReplayedCode,
): Promise<ReplayVerdict> {
  checkRecording(recording);
  // guard: replayed-code-accepted
  if (lock !== undefined && !isAccepted(lock, recording)) throw notAccepted(recording, lock.path);
  const frames = makeQueue<Frame>();
  let say: (bytes: Uint8Array) => void = () => {};
  let alone = false;
  const read = makeFrameLog('guest', frames.put);
  const guest = guests.takeTapped({
    open: (write) => {
      say = write;
    },
    toGuest: () => {},
    fromGuest: (bytes) => {
      if (alone) read(bytes);
      return !alone;
    },
  });
  // A guest does not keep the host process alive, so this timer does.
  const waiting = setInterval(() => {}, 1_000);
  try {
    await guest.ready;
    const decide = makeRequestGate({
      plugin: recording.plugin,
      brokers: NO_BROKERS,
      mode: replayMode(recording.plugin),
      attributionOf: () => ({}),
      attribute: () => () => {},
    });
    guest.serve({
      notice: () => {},
      request: (method, params, request) => decide({ peer: guest.peer, method, params, request }),
      // The tape has the other answers to synchronous requests.
      requestNow: async (method) => {
        if (method === SQLITE_CODE) return { value: null, body: readSqlite() };
        throw new Error(`${method} is not answered in a replay`);
      },
    });
    // The guest answers in order, so all earlier messages have arrived after this answer.
    await guest.peer.ask('schemas', { schemas: [] }).answer;
    alone = true;
    for (const [at, frame] of recording.frames.entries()) {
      if (frame.by === 'host') sayFrame(withTape(frame, recording, code), say);
      else {
        const actual = await Promise.race([
          frames.take(timeoutMs),
          guest.ended.then(({ detail }) => ({ end: detail })),
        ]);
        const isFree = code !== undefined && repliesToLoad(frame, actual, recording);
        if (!isFree && !isSame(frame, actual, recording.node === process.version)) {
          return { same: false, at, expected: frame, actual };
        }
      }
    }
    return { same: true, frames: recording.frames.length };
  } finally {
    clearInterval(waiting);
    guest.kill({ cause: 'closed', detail: 'its replay was over' });
  }
}

const NO_BROKERS: Brokers = {
  network: undefined,
  filesystem: undefined,
  storage: undefined,
  powers: undefined,
};

function checkRecording(recording: CallRecording): void {
  const { frames, bundle, complete } = recording;
  // guard: replay-digest-compared
  if (digestOf(recording) !== recording.digest)
    throw invalid('it was changed after it was written: its content does not match its digest');
  checkHeader(recording);
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
  // guard: replay-bundle-compared
  if (integrityOf(code) !== bundle)
    throw invalid('its bundle does not have the hash that it names');
}

/**
 * Whether the code is a build of the accepted version or of an earlier one, by its hash. The artifact must be
 * stored here, with its signature, and the operator's trust rules must allow it.
 */
function isAccepted(lock: AcceptedPlugins, { plugin, bundle }: CallRecording): boolean {
  const { plugins } = lock.read();
  const locked = Object.hasOwn(plugins, plugin) ? plugins[plugin] : undefined;
  if (locked === undefined || locked.disabled === true) return false;
  const { previous = [] } = locked;
  return [locked, ...previous].some(
    (pin) =>
      Object.values(pin.bundles).includes(bundle) &&
      Object.values(lock.open(plugin, pin)?.bundles ?? {}).some(({ hash }) => hash === bundle),
  );
}

function notAccepted({ plugin }: CallRecording, path: string): BulkheadError<'NOT_LOCKED'> {
  return new BulkheadError(
    'NOT_LOCKED',
    `This recording of ${plugin} is not replayed: its code is of no version that ${path} accepts and that is stored here. To replay it with no access to anything, leave the lock file out.`,
    { plugin },
  );
}

/** Compares the header with the messages: they say which tool ran, of which plugin, and how it ended. */
function checkHeader({ frames, plugin, tool, outcome }: CallRecording): void {
  const messages = frames.flatMap((frame) => ('message' in frame ? [frame.message] : []));
  const called = messages.find((one) => one.t === 'request' && one.m === 'call');
  const loaded = messages.find((one) => one.t === 'request' && one.m === 'load');
  const named = loaded?.t === 'request' && isRecord(loaded.p) ? loaded.p['plugin'] : undefined;
  const id = isRecord(named) ? named['id'] : undefined;
  // guard: replay-header-compared
  if (typeof id === 'string' && id !== plugin)
    throw invalid(`its header names the plugin ${plugin}, and its messages are of ${id}`);
  if (called?.t !== 'request') return;
  const ran = isRecord(called.p) ? called.p['tool'] : undefined;
  if (typeof ran === 'string' && ran !== tool)
    throw invalid(`its header names the tool ${tool}, and its messages are of ${ran}`);
  const failed = messages.some((one) => one.t === 'failure' && one.i === called.i);
  if (failed && outcome === 'ok')
    throw invalid('its header says that the call succeeded, and its messages that it failed');
}

/** Whether both frames answer the `load` request: other code may describe itself differently. */
function repliesToLoad(
  expected: Frame,
  actual: object,
  { frames: [load] }: CallRecording,
): boolean {
  if (load === undefined || !('message' in load) || load.message.t !== 'request') return false;
  if (!('message' in expected) || expected.message.t !== 'reply') return false;
  const { i } = load.message;
  const message: unknown = 'message' in actual ? actual.message : undefined;
  return (
    expected.message.i === i && isRecord(message) && message['t'] === 'reply' && message['i'] === i
  );
}

/** Adds the recorded tape to a `load` request, and the code that replaces the recorded code. */
function withTape(frame: Frame, { tape }: CallRecording, code: ReplayedCode | undefined): Frame {
  if (!('message' in frame) || frame.message.t !== 'request' || frame.message.m !== 'load') {
    return frame;
  }
  const { seed, ...content } = tape;
  const params = isRecord(frame.message.p) ? frame.message.p : {};
  const replaced =
    code === undefined ? {} : { code: code.code, assignedGlobals: [...code.assignedGlobals] };
  const p = { ...params, ...replaced, tape: { seed, content } };
  return { ...frame, message: { ...frame.message, p } };
}

function isSame(expected: Frame, actual: object, sameNode: boolean): boolean {
  return (
    JSON.stringify(comparable(expected, sameNode)) === JSON.stringify(comparable(actual, sameNode))
  );
}

/** Removes stacks if the Node versions differ, because their texts differ between versions. */
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
  return new BulkheadError('INVALID_OPTIONS', `This recording cannot be replayed: ${what}.`, {
    option: 'recording',
  });
}
