import type { Attribution } from '../attribution.js';
import { explainError } from '../explain-error.js';

/** What one exchange with one host came to: one record for every hop of a redirect. */
export interface NetworkRecord extends Attribution {
  readonly type: 'network';
  /** The plugin's id. */
  readonly plugin: string;
  /** Origin and path. A query is written as `?…`, since it often holds secrets. */
  readonly url: string;
  readonly method: string;
  /** `failed` was allowed, and did not succeed or was given up. */
  readonly outcome: 'allowed' | 'denied' | 'failed';
  readonly status?: number;
  /** Bytes of the response's body as they came, before decompression. */
  readonly bytesIn: number;
  /** Bytes of the request's body. */
  readonly bytesOut: number;
  readonly durationMs: number;
  /** The address that was connected to. For the host's eyes: no plugin learns it. */
  readonly address?: string;
  /** Why it was denied or failed, in full. For the host's eyes. */
  readonly reason?: string;
}

/** The record of an exchange while it lasts. `close` writes it, once. */
export interface OpenRecord {
  status: number | undefined;
  bytesIn: number;
  bytesOut: number;
  address: string | undefined;
  close(outcome: NetworkRecord['outcome'], error?: unknown): void;
}

export interface Recorder {
  open(url: URL | string, method: string): OpenRecord;
  /** The same recorder, for what that call does. */
  on(behalf: Attribution): Recorder;
}

/** `withQueries` writes queries out in full: an operator's choice for finding faults. */
export function makeRecorder(
  plugin: string,
  withQueries: boolean,
  onEvent: (record: NetworkRecord) => void,
): Recorder {
  return {
    on: (behalf) =>
      makeRecorder(plugin, withQueries, (record) => onEvent({ ...record, ...behalf })),
    open: (url, method) => {
      const startedAt = performance.now();
      let closed = false;
      const record: OpenRecord = {
        status: undefined,
        bytesIn: 0,
        bytesOut: 0,
        address: undefined,
        close: (outcome, error) => {
          if (closed) return;
          closed = true;
          const { status, bytesIn, bytesOut, address } = record;
          onEvent({
            type: 'network',
            plugin,
            url: writeUrl(url, withQueries),
            method,
            outcome,
            ...(status === undefined ? {} : { status }),
            bytesIn,
            bytesOut,
            durationMs: performance.now() - startedAt,
            ...(address === undefined ? {} : { address }),
            ...(error === undefined ? {} : { reason: explainError(error) }),
          });
        },
      };
      return record;
    },
  };
}

function writeUrl(url: URL | string, withQueries: boolean): string {
  if (typeof url === 'string') return JSON.stringify(url.slice(0, 200));
  const query = url.search === '' || withQueries ? url.search : '?…';
  return `${url.origin}${url.pathname}${query}`;
}
