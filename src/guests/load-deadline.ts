import { readMainThread } from '../processor.js';

/** A busy machine extends a deadline to this many times its length at most. */
const MAX_EXTENSION = 3;

/** A shorter wait for a processor does not extend a deadline. */
const MIN_WAIT_MS = 10;

/**
 * Calls `onPassed` after `ms` milliseconds, without the time in which the guest waited for a
 * processor: a busy machine must not end a plugin that loads. Only Linux reports that time. Returns
 * a function that cancels the deadline.
 */
export function startLoadDeadline(
  { pid }: { readonly pid: number },
  ms: number,
  onPassed: () => void,
  readWait: (pid: number) => number | undefined = (of) => readMainThread(of)?.waitedMs,
): () => void {
  const waitedBefore = readWait(pid) ?? 0;
  let credited = 0;
  let timer: NodeJS.Timeout;
  const check = (): void => {
    const waited = (readWait(pid) ?? waitedBefore) - waitedBefore;
    const extension = Math.min(waited, (MAX_EXTENSION - 1) * ms) - credited;
    if (extension < MIN_WAIT_MS) return onPassed();
    credited += extension;
    timer = setTimeout(check, extension);
  };
  timer = setTimeout(check, ms);
  return () => clearTimeout(timer);
}
