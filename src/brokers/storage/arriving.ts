import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { untilAborted } from '../until-aborted.js';
import type { Content } from './changes.js';
import type { AreaContext } from './walk.js';

/** Content from a guest, which may never send the rest. */
export function arriving(body: ByteSource, ended: AbortSignal, stopped: () => unknown): Content {
  return async () => {
    const bytes = await untilAborted(ended, body.pull()).catch((error: unknown) => {
      throw stopped() ?? error;
    });
    const why = stopped();
    if (why !== undefined) throw why;
    return bytes;
  };
}

/**
 * Runs a write, and ends it if its guest does not send the content in time: other changes of the
 * storage wait for it.
 */
export async function inTime<Result>(
  { store, refusals }: AreaContext,
  content: Content,
  write: (timely: Content) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  // guard: storage-content-in-time
  const timer = setTimeout(() => late.abort(), store.limits.contentMs);
  const timely: Content = () =>
    untilAborted(late.signal, content()).catch((error: unknown) => {
      if (!late.signal.aborted) throw error;
      throw refusals.limit('contentMs', 'the content of a write did not arrive in time');
    });
  try {
    return await write(timely);
  } finally {
    clearTimeout(timer);
  }
}
