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
export async function* streamCall(
  call: (options: CallOptions) => Promise<CallResult>,
  options: StreamOptions,
): AsyncGenerator<CallStreamEvent, void, undefined> {
  const waiting: CallStreamEvent[] = [];
  let characters = 0;
  let wake: () => void = () => {};
  let failure: { readonly error: unknown } | undefined;
  let ended = false;
  const stop = new AbortController();
  const add = (event: CallStreamEvent): void => {
    // Only the latest progress matters to a slow reader.
    if (event.type === 'progress' && waiting.at(-1)?.type === 'progress') waiting.pop();
    waiting.push(event);
    wake();
  };
  const signal =
    options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  void call({
    ...options,
    signal,
    onOutput: (text) => {
      // guard: stream-output-bounded
      if (characters + text.length > MAX_WAITING_CHARACTERS) return;
      characters += text.length;
      add({ type: 'output', text });
    },
    onProgress: (progress) => add({ type: 'progress', ...progress }),
  }).then(
    (result) => {
      ended = true;
      add({ type: 'result', result });
    },
    (error: unknown) => {
      failure = { error };
      wake();
    },
  );
  try {
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
  } finally {
    // guard: abandoned-stream-cancels
    if (!ended) stop.abort();
  }
}
