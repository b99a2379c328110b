import { MAX_TAPE_ENTRIES } from '../../../sandbox/wire/tape.js';

/** What bounds the record of one call. A call that is beyond it runs on, and its record says so. */
export const RECORD_LIMITS: {
  readonly maxTapeEntries: number;
  readonly maxRecordCharacters: number;
} = {
  /** Turns of messages and timers, and different readings of clocks. */
  maxTapeEntries: MAX_TAPE_ENTRIES,
  /** Of everything that was said, as it is written down. */
  maxRecordCharacters: 64 * 1024 * 1024,
};
