import type { Client, Dispatcher } from 'undici';

import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { makeAlarm } from './alarm.js';
import { makeChunks } from './chunks.js';
import type { Header } from './headers.js';
import type { Life } from './life.js';
import type { NetworkLimits } from './limits.js';
import type { OpenRecord } from './record.js';
import type { Refusals } from './refusals.js';
import type { Rewriter } from './secrets/rewrite.js';
import type { Upload } from './upload.js';

export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  /** Names in lower case, in the order they came. */
  readonly headers: readonly Header[];
}

export interface Response {
  readonly head: ResponseHead;
  /** The body as it comes, still encoded. */
  readonly body: ByteSource;
}

export interface ExchangeSpec {
  readonly client: Client;
  readonly url: URL;
  readonly method: string;
  readonly headers: readonly Header[];
  readonly upload: Upload | undefined;
  /** What the upload passes through on its way out. */
  readonly rewriter: Rewriter | undefined;
  readonly limits: NetworkLimits;
  readonly refusals: Refusals;
  readonly life: Life;
  readonly record: OpenRecord;
  /** Called once, when the connection has nothing more to do with this: `ok` if it can go on. */
  readonly onDone: (ok: boolean) => void;
}

/**
 * One request and one response on one connection. Resolves with the headers, while the body is
 * still under way; aborts when the life does.
 */
export function exchange(spec: ExchangeSpec): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { limits, refusals, life, record } = spec;
    let controller: Dispatcher.DispatchController | undefined;
    let informational = 0;
    let done = false;

    const abort = (): void => controller?.abort(reasonOf(life.signal));
    const late = (what: string, limit: 'headersMs' | 'idleMs') => (): void =>
      life.fail(refusals.limit(limit, what));
    const headersAlarm = makeAlarm(limits.headersMs, late('no answer came', 'headersMs'));
    const idleAlarm = makeAlarm(limits.idleMs, late('its answer stopped midway', 'idleMs'));

    const finish = (ok: boolean): void => {
      if (done) return;
      done = true;
      headersAlarm.stop();
      idleAlarm.stop();
      life.signal.removeEventListener('abort', abort);
      // A server may answer before it has read all of the body. Then the connection is lost.
      spec.onDone(ok && (sending?.complete ?? true));
      sending?.stop();
    };

    const chunks = makeChunks({
      hold: () => controller?.pause(),
      flow: () => controller?.resume(),
      stop: (reason) => controller?.abort(new Error(reason)),
      // A reader that takes its time is no fault of the server's: only waiting is timed.
      onWait: (waiting) => (waiting && !done ? idleAlarm.set() : idleAlarm.stop()),
    });

    life.signal.addEventListener('abort', abort, { once: true });
    const sending = spec.upload?.attempt((bytes) => {
      record.bytesOut += bytes;
      if (controller !== undefined && record.status === undefined) headersAlarm.set();
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
          if (life.signal.aborted) abort();
          else headersAlarm.set();
        },
        onResponseStart: (started, status, _headers, statusText) => {
          if (status < 200) {
            informational += 1;
            if (informational > limits.maxInformational) {
              life.fail(refusals.limit('maxInformational', 'its answer never came to the point'));
            }
            return;
          }
          headersAlarm.stop();
          const headers = readHeaders(started.rawHeaders);
          if (headers.length > limits.maxResponseHeaders) {
            life.fail(
              refusals.limit('maxResponseHeaders', `its answer has ${headers.length} headers`),
            );
            return;
          }
          record.status = status;
          const head = { status, statusText: readReason(statusText), headers };
          resolve({ head, body: chunks.source });
        },
        onResponseData: (_started, chunk) => {
          record.bytesIn += chunk.length;
          chunks.push(chunk);
        },
        onResponseEnd: () => {
          finish(true);
          chunks.end();
        },
        onResponseError: (_started, error) => {
          finish(false);
          // An abort of ours comes back as itself, or as what the socket made of it.
          const why: unknown = life.signal.aborted ? life.signal.reason : error;
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

/** The reason phrase, without what `new Response` on the other side would refuse. */
function readReason(text: string | undefined): string {
  return (text ?? '').slice(0, 256).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '');
}
