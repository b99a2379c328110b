import { defaultMaxListeners, getMaxListeners, setMaxListeners } from 'node:events';

/**
 * Lets any number of calls listen to a signal, e.g. that of a server that ends. Node warns of a leak from
 * the eleventh listener on. A signal whose limit its owner changed keeps it.
 */
export function shareSignal(signal: AbortSignal | undefined): void {
  if (signal !== undefined && limitOf(signal) === defaultMaxListeners) setMaxListeners(0, signal);
}

/** Node 20 throws for a signal without a limit. */
function limitOf(signal: AbortSignal): number {
  try {
    return getMaxListeners(signal);
  } catch {
    return 0;
  }
}
