import type { Life } from './life.js';
import { untilAborted } from '../until-aborted.js';
import type { NetworkRequest } from './request.js';
import type { Upload } from './upload.js';

/** A request that is about to leave, for whoever may hold it. Secrets are not yet in their places. */
export interface LeavingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly (readonly [string, string])[];
  /** The beginning of its body; absent where it has none. */
  readonly body?: Uint8Array;
  /** Whether that is all of it. */
  readonly whole: boolean;
}

/**
 * Resolves where the request may leave. What it rejects with is what the plugin is told. The signal
 * aborts where the request is given up meanwhile.
 */
export type HoldRequest = (leaving: LeavingRequest, signal: AbortSignal) => Promise<void>;

/** Methods that change nothing, by the rules of HTTP. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** By these, some servers take a request for one of another method. */
const OVERRIDES: ReadonlySet<string> = new Set([
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
]);

export function changesState({
  method,
  headers,
}: Pick<NetworkRequest, 'method' | 'headers'>): boolean {
  return !SAFE.has(method) || headers.some(([name]) => OVERRIDES.has(name.toLowerCase()));
}

/** Shows a request that changes something to whoever holds such, before any byte of it leaves. */
export async function showLeaving(
  hold: HoldRequest | undefined,
  request: NetworkRequest,
  upload: Upload | undefined,
  life: Life,
): Promise<void> {
  const { method, url, headers } = request;
  if (hold === undefined || !changesState(request)) return;
  const body = request.hasBody ? await untilAborted(life.signal, lookAt(upload)) : undefined;
  const { whole = true, bytes } = body ?? {};
  await untilAborted(
    life.signal,
    hold(
      { method, url, headers, ...(bytes === undefined ? {} : { body: bytes }), whole },
      life.signal,
    ),
  );
}

async function lookAt(
  upload: Upload | undefined,
): Promise<{ readonly bytes: Uint8Array; readonly whole: boolean } | undefined> {
  return upload?.look();
}
