import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { StorageLimits } from '../limits.js';
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
 * storage wait for it. Only the waits for content count, because a disk may be slow.
 */
export async function inTime<Result>(
  {
    store,
    refusals,
  }: Pick<AreaContext, 'refusals'> & {
    readonly store: { readonly limits: Pick<StorageLimits, 'contentMs'> };
  },
  content: Content,
  write: (timely: Content) => Promise<Result>,
): Promise<Result> {
  let leftMs = store.limits.contentMs;
  const timely: Content = async () => {
    const late = new AbortController();
    const beganAt = performance.now();
    // guard: storage-content-in-time
    const timer = setTimeout(() => late.abort(), Math.max(0, leftMs));
    try {
      return await untilAborted(late.signal, content());
    } catch (error) {
      if (!late.signal.aborted) throw error;
      throw refusals.limit('contentMs', 'the content of a write did not arrive in time');
    } finally {
      clearTimeout(timer);
      leftMs -= performance.now() - beganAt;
    }
  };
  return write(timely);
}
