import type { Message } from '../../../sandbox/wire/messages.js';
import type { TapeContent } from '../../../sandbox/wire/methods.js';

export type Side = 'host' | 'guest';

/** One message or chunk on a wire, with its sender. */
export type Frame =
  | { readonly by: Side; readonly message: Message }
  /** Bytes of a stream, in base64. */
  | { readonly by: Side; readonly stream: number; readonly bytes: string };

/**
 * All messages that crossed the boundary for one call, from the load of the bundle to the answer.
 * It contains the values of granted variables, and data from servers and files. Protect it like
 * these.
 */
export interface CallRecording {
  readonly format: 'bulkhead-recording';
  readonly version: 2;
  readonly recordedAt: string;
  /** The Node version. */
  readonly node: string;
  readonly call: string;
  readonly plugin: string;
  readonly tool: string;
  /** Hash of the bundle. */
  readonly bundle: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  /** Whether all messages fitted into the recording. */
  readonly complete: boolean;
  readonly tape: TapeContent & { readonly seed: readonly number[] };
  readonly frames: readonly Frame[];
  /** SHA-256 of all other members, in hex: an edited recording is not replayed. */
  readonly digest: string;
}
