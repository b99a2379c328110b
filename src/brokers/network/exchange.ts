import type { Client, Dispatcher } from 'undici';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { makeChunks } from './chunks.js';
import type { Header } from './request.js';
import type { RequestLifetime } from './request-lifetime.js';
import type { NetworkLimits } from '../limits.js';
import type { NetworkRecord, OpenRecord } from '../record.js';
import type { Refusals } from './refusals.js';
import type { Rewriter } from './secrets/rewrite.js';
import type { Upload } from './upload.js';

export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  /** Names in lower case, in their original order. */
  readonly headers: readonly Header[];
}

export interface Response {
  readonly head: ResponseHead;
  /** The body as received, still encoded. */
  readonly body: ByteSource;
}

export interface ExchangeSpec {
  readonly client: Pick<Client, 'dispatch'>;
  readonly url: URL;
  readonly method: string;
  readonly headers: readonly Header[];
  readonly upload: Upload | undefined;
  /** Rewrites the upload as it is sent. */
  readonly rewriter: Rewriter | undefined;
  readonly limits: NetworkLimits;
  readonly refusals: Refusals;
  readonly lifetime: RequestLifetime;
  readonly record: OpenRecord<NetworkRecord>;
  /** Called once, when the exchange has released the connection. `ok`: it can be reused. */
  readonly onDone: (ok: boolean) => void;
}

/** One request and its response on one connection. Resolves with the headers, before the body. */
export function exchange(spec: ExchangeSpec): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { limits, refusals, lifetime } = spec;
    const { fields } = spec.record;
    let controller: Dispatcher.DispatchController | undefined;
    let informational = 0;
    let done = false;

    const abort = (): void => controller?.abort(reasonOf(lifetime.signal));
    const late = (what: string, limit: 'headersMs' | 'idleMs') => (): void =>
      lifetime.fail(refusals.limit(limit, what));
    const headersAlarm = makeIdleTimer(limits.headersMs, late('no answer came', 'headersMs'));
    const idleAlarm = makeIdleTimer(limits.idleMs, late('its answer stopped midway', 'idleMs'));

    const finish = (ok: boolean): void => {
      if (done) return;
      done = true;
      headersAlarm.stop();
      idleAlarm.stop();
      lifetime.signal.removeEventListener('abort', abort);
      // A server may answer before it has read the whole body. Then the connection cannot be reused.
      spec.onDone(ok && (sending?.complete ?? true));
      sending?.stop();
    };

    const chunks = makeChunks({
      hold: () => controller?.pause(),
      flow: () => controller?.resume(),
      stop: (reason) => controller?.abort(new Error(reason)),
      // Only the wait for the server counts, because the reader may be slow.
      onWait: (waiting) => (waiting && !done ? idleAlarm.set() : idleAlarm.stop()),
    });

    lifetime.signal.addEventListener('abort', abort, { once: true });
    const sending = spec.upload?.attempt((bytes) => {
      fields.bytesOut += bytes;
      if (controller !== undefined && fields.status === undefined) headersAlarm.set();
    }, spec.rewriter);

    spec.client.dispatch(
      {
        path: `${spec.url.pathname}${spec.url.search}`,
        method: spec.method,
        headers: spec.headers.flat(),
        body: sending?.body ?? null,
      },
      {
        onRequestStart: (started) => {
          controller = started;
          if (lifetime.signal.aborted) abort();
          else headersAlarm.set();
        },
        onResponseStart: (started, status, _headers, statusText) => {
          if (status < 200) {
            informational += 1;
            // guard: informational-response-cap
            if (informational > limits.maxInformational) {
              lifetime.fail(
                refusals.limit('maxInformational', 'it sent too many informational responses'),
              );
            }
            return;
          }
          headersAlarm.stop();
          const headers = readHeaders(started.rawHeaders);
          if (headers.length > limits.maxResponseHeaders) {
            lifetime.fail(
              refusals.limit('maxResponseHeaders', `its answer has ${headers.length} headers`),
            );
            return;
          }
          fields.status = status;
          const head = { status, statusText: readReason(statusText), headers };
          resolve({ head, body: chunks.source });
        },
        onResponseData: (_started, chunk) => {
          fields.bytesIn += chunk.length;
          chunks.push(chunk);
        },
        onResponseEnd: () => {
          finish(true);
          chunks.end();
        },
        onResponseError: (_started, error) => {
          finish(false);
          // Our own abort may arrive as an error of the socket.
          const why: unknown = lifetime.signal.aborted ? lifetime.signal.reason : error;
          chunks.fail(why);
          reject(why);
        },
      },
    );
  });
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('aborted');
}

function readHeaders(raw: Dispatcher.DispatchController['rawHeaders']): Header[] {
  const headers: Header[] = [];
  if (!Array.isArray(raw)) return headers;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    headers.push([readText(raw[at]).toLowerCase(), readText(raw[at + 1])]);
  }
  return headers;
}

function readText(bytes: Buffer | string | undefined): string {
  return bytes === undefined || typeof bytes === 'string'
    ? (bytes ?? '')
    : bytes.toString('latin1');
}

/** The reason phrase, without characters that `new Response` refuses. */
function readReason(text: string | undefined): string {
  return (text ?? '').slice(0, 256).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '');
}

/** A timer for frequent restarts, as bytes arrive. */
export interface IdleTimer {
  /** Fires `ms` from now. Replaces an earlier `set`. */
  set(): void;
  stop(): void;
}

export function makeIdleTimer(ms: number, ring: () => void): IdleTimer {
  let timer: NodeJS.Timeout | undefined;
  return {
    set: () => {
      // `refresh` reuses the timer: a new timer would cost more than the chunk.
      if (timer === undefined) timer = setTimeout(ring, ms).unref();
      else timer.refresh();
    },
    stop: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
