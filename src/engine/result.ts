import type { Json } from '../../sandbox/wire/messages.js';
import type { ErrorCode } from '../errors.js';

/** What a call came to. A plugin's fault is an answer (`isError`), never a throw. */
export interface CallResult {
  /** Names this call in events, logs and records. */
  readonly callId: string;
  readonly isError: boolean;
  /** For the model: text that never holds a stack or a path of the host. */
  readonly content: readonly ContentBlock[];
  /** What the tool returned, as plain data. Absent where it did not return. */
  readonly value?: Json;
  /** Why it failed. */
  readonly code?: ErrorCode;
  readonly durationMs: number;
}

export type ContentBlock = { readonly type: 'text'; readonly text: string };
