import type { CallProgress } from '../../remotes/remote.js';
import type { CallOptions } from '../types/options.js';
import type { CallResult } from '../types/result.js';

/** An event of a streamed call, in order. The last one is the result. */
export type CallStreamEvent =
  | { readonly type: 'output'; readonly text: string }
  | ({ readonly type: 'progress' } & CallProgress)
  | { readonly type: 'result'; readonly result: CallResult };

/** Options of a streamed call. Its events replace the listeners of a call. */
export type StreamOptions = Omit<CallOptions, 'onOutput' | 'onProgress'>;

/** Characters of output that wait for a slow reader. Further output is dropped; the result is not. */
const MAX_WAITING_CHARACTERS = 4 * 1024 * 1024;

/**
 * Runs a call when its events are first read. If the reader stops early, the call is cancelled. Throws
 * the errors of the call.
 */
export function streamCall(
  call: (options: CallOptions) => Promise<CallResult>,
  options: StreamOptions,
): AsyncGenerator<CallStreamEvent, void, undefined> {
  const stop = new AbortController();
  const signal =
    options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const events = readEvents(call, { ...options, signal });
  const stream: AsyncGenerator<CallStreamEvent, void, undefined> = {
    next: () => events.next(),
    // A generator would wait for the next event before it returns. The call of a reader that has
    // stopped may never send one.
    return: async () => {
      // guard: abandoned-stream-cancels
      stop.abort();
      return events.return();
    },
    throw: async (error: unknown) => {
      stop.abort();
      return events.throw(error);
    },
    [Symbol.asyncIterator]: () => stream,
    [Symbol.asyncDispose]: async () => {
      await stream.return();
    },
  };
  return stream;
}

async function* readEvents(
  call: (options: CallOptions) => Promise<CallResult>,
  options: StreamOptions,
): AsyncGenerator<CallStreamEvent, void, undefined> {
  const waiting: CallStreamEvent[] = [];
  let characters = 0;
  let wake: () => void = () => {};
  let failure: { readonly error: unknown } | undefined;
  const add = (event: CallStreamEvent): void => {
    // Only the latest progress matters to a slow reader.
    if (event.type === 'progress' && waiting.at(-1)?.type === 'progress') waiting.pop();
    waiting.push(event);
    wake();
  };
  void call({
    ...options,
    onOutput: (text) => {
      // guard: stream-output-bounded
      if (characters + text.length > MAX_WAITING_CHARACTERS) return;
      characters += text.length;
      add({ type: 'output', text });
    },
    onProgress: (progress) => add({ type: 'progress', ...progress }),
  }).then(
    (result) => add({ type: 'result', result }),
    (error: unknown) => {
      failure = { error };
      wake();
    },
  );
  for (;;) {
    const event = waiting.shift();
    if (event !== undefined) {
      if (event.type === 'output') characters -= event.text.length;
      yield event;
      if (event.type === 'result') return;
      continue;
    }
    if (failure !== undefined) throw failure.error;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}
