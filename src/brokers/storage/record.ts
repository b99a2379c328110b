import type { Attribution } from '../attribution.js';
import { explainError } from '../explain-error.js';

/** What one operation in storage came to. */
export interface StorageRecord extends Attribution {
  /** The plugin's id. */
  readonly plugin: string;
  /** The operation, its area where that is not the plugin's directory, and the path as written. */
  readonly what: string;
  readonly outcome: 'allowed' | 'denied' | 'failed';
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly durationMs: number;
  /** Why it was denied or failed, in full. For the host's eyes. */
  readonly reason?: string;
}

/** The record of an operation while it lasts. `close` writes it, once. */
export interface OpenRecord {
  bytesRead: number;
  bytesWritten: number;
  close(outcome: StorageRecord['outcome'], error?: unknown): void;
}

export function openRecord(
  plugin: string,
  what: string,
  onEvent: (record: StorageRecord) => void,
  behalf: Attribution = {},
): OpenRecord {
  const startedAt = performance.now();
  let closed = false;
  const record: OpenRecord = {
    bytesRead: 0,
    bytesWritten: 0,
    close: (outcome, error) => {
      if (closed) return;
      closed = true;
      onEvent({
        ...behalf,
        plugin,
        what,
        outcome,
        bytesRead: record.bytesRead,
        bytesWritten: record.bytesWritten,
        durationMs: performance.now() - startedAt,
        ...(error === undefined ? {} : { reason: explainError(error) }),
      });
    },
  };
  return record;
}
