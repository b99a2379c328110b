import { signals } from '../events/signal.js';
import { member, toOptions } from '../web-idl.js';
import {
  abortSink,
  acquireWriter,
  closeSink,
  releaseWriter,
  type SinkState,
  write,
} from './sink-state.js';
import { acquire, cancel, read, release, type StreamState } from './stream-state.js';

/** The options of `pipeTo`, read once. */
export interface PipeOptions {
  readonly preventClose: boolean;
  readonly preventAbort: boolean;
  readonly preventCancel: boolean;
  readonly signal: unknown;
}

export function readPipeOptions(options: unknown): PipeOptions {
  const given = toOptions(options, 'options argument of a pipe');
  return {
    preventClose: Boolean(member(given, 'preventClose')),
    preventAbort: Boolean(member(given, 'preventAbort')),
    preventCancel: Boolean(member(given, 'preventCancel')),
    signal: member(given, 'signal'),
  };
}

/** Moves all chunks of a stream to a sink. Rejects with the first error of either, or the abort's reason. */
export async function pipe(
  source: StreamState,
  sink: SinkState,
  { preventClose, preventAbort, preventCancel, signal }: PipeOptions,
): Promise<undefined> {
  const abort = signal === undefined ? undefined : signals.demand(signal);
  const reader = acquire(source);
  const writer = (() => {
    try {
      return acquireWriter(sink);
    } catch (error) {
      release(reader);
      throw error;
    }
  })();
  const stop = async (error: unknown): Promise<void> => {
    const ends: Promise<unknown>[] = [];
    if (!preventAbort) ends.push(abortSink(sink, error));
    if (!preventCancel && source.status === 'readable') ends.push(cancel(source, error));
    await Promise.allSettled(ends);
  };
  let leave: (() => void) | undefined;
  const aborted =
    abort === undefined
      ? undefined
      : new Promise<never>((_, reject) => {
          if (abort.aborted) reject(abort.reason);
          else leave = abort.onAbort(() => reject(abort.reason));
        });
  // The sink may fail while a read waits.
  const sinkFailed = writer.closed.promise.then(() => {
    throw new TypeError('The destination is closed');
  });
  sinkFailed.catch(() => undefined);
  aborted?.catch(() => undefined);
  const first = <Value>(promise: Promise<Value>): Promise<Value> =>
    Promise.race([...(aborted === undefined ? [] : [aborted]), sinkFailed, promise]);
  try {
    for (;;) {
      await first(writer.ready.promise);
      const result = await first(read(reader));
      if (result.done) break;
      // The error of a write also fails the sink.
      write(sink, result.value).catch(() => undefined);
    }
    if (!preventClose) await closeSink(sink);
    return undefined;
  } catch (error) {
    await stop(error);
    throw error;
  } finally {
    leave?.();
    release(reader);
    releaseWriter(writer);
  }
}
