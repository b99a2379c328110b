import { BulkheadError } from '../errors.js';

/** The open state of an engine. Repeated calls of `close` return the same promise. */
export function makeOpenState(end: () => Promise<void>): {
  /** Throws `ENGINE_CLOSED`. */
  require(): void;
  close(): Promise<void>;
} {
  let closing: Promise<void> | undefined;
  return {
    require: () => {
      if (closing === undefined) return;
      throw new BulkheadError(
        'ENGINE_CLOSED',
        'The engine was closed: it runs no further calls.',
        {},
      );
    },
    close: () => (closing ??= end()),
  };
}
