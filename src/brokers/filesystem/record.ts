import type { Attribution } from '../attribution.js';
import { explainError } from '../explain-error.js';

/** What one read came to. */
export interface FilesystemRecord extends Attribution {
  readonly type: 'filesystem';
  /** The plugin's id. */
  readonly plugin: string;
  /** As the plugin wrote it, as a JSON string, cut to 200 characters. */
  readonly path: string;
  readonly outcome: 'allowed' | 'denied' | 'failed';
  readonly bytes: number;
  readonly durationMs: number;
  /** The file that was read. For the host's eyes: no plugin learns it. */
  readonly realPath?: string;
  /** Why it was denied or failed, in full. For the host's eyes. */
  readonly reason?: string;
}

/** The record of a read while it lasts. `close` writes it, once. */
export interface OpenRecord {
  bytes: number;
  realPath: string | undefined;
  close(outcome: FilesystemRecord['outcome'], error?: unknown): void;
}

export function openRecord(
  plugin: string,
  path: unknown,
  onEvent: (record: FilesystemRecord) => void,
  behalf: Attribution = {},
): OpenRecord {
  const startedAt = performance.now();
  let closed = false;
  const record: OpenRecord = {
    bytes: 0,
    realPath: undefined,
    close: (outcome, error) => {
      if (closed) return;
      closed = true;
      onEvent({
        type: 'filesystem',
        plugin,
        ...behalf,
        path: JSON.stringify(typeof path === 'string' ? path.slice(0, 200) : ''),
        outcome,
        bytes: record.bytes,
        durationMs: performance.now() - startedAt,
        ...(record.realPath === undefined ? {} : { realPath: record.realPath }),
        ...(error === undefined ? {} : { reason: explainError(error) }),
      });
    },
  };
  return record;
}
