import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { bodyOf } from './body.js';
import type { Connections } from './connections.js';
import { exchange, type Response } from './exchange.js';
import { explainFailure } from './failures.js';
import type { Header } from './headers.js';
import type { Life } from './life.js';
import type { NetworkLimits } from './limits.js';
import { type HoldRequest, showLeaving } from './leaving.js';
import { hostOf } from './names.js';
import { prepare } from './outgoing.js';
import type { OpenRecord, Recorder } from './record.js';
import { redirectOf } from './redirect.js';
import type { Refusals } from './refusals.js';
import type { NetworkRequest } from './request.js';
import type { SecretKeeper } from './secrets/keep.js';
import type { Upload } from './upload.js';

/** The answer to a plugin's request. */
export interface NetworkReply {
  /** Where it came from in the end, without a fragment. */
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly redirected: boolean;
  readonly headers: readonly Header[];
  /** Absent where there is none by the rules of HTTP. It has to be read to its end or cancelled. */
  readonly body: ByteSource | undefined;
}

export interface FollowSpec {
  readonly connections: Connections;
  readonly limits: NetworkLimits;
  readonly refusals: Refusals;
  readonly recorder: Recorder;
  readonly secrets: SecretKeeper | undefined;
  /** Throws a refusal where this request may not be made. `from` redirected to it. */
  readonly admit: (request: NetworkRequest, from: string | undefined, life: Life) => void;
  /** Sees what changes something, at each hop, before it leaves. */
  readonly hold: HoldRequest | undefined;
}

/**
 * Makes a request and follows where it is redirected, each hop checked like the first. The life
 * ends with the body of the answer, or with the error that this throws: always a `BulkheadError`.
 */
export async function follow(
  spec: FollowSpec,
  first: NetworkRequest,
  upload: Upload | undefined,
  life: Life,
): Promise<NetworkReply> {
  const { refusals, limits } = spec;
  let request = first;
  let from: string | undefined;
  for (let redirects = 0; ; redirects += 1) {
    const host = hostOf(request.url);
    const record = spec.recorder.open(request.url, request.method);
    try {
      spec.admit(request, from, life);
      await showLeaving(spec.hold, request, upload, life);
      const response = await hop(spec, request, upload, life, record);
      const next = redirectOf(request, response.head, refusals);
      if (next === undefined) return answer(spec, request, response, redirects > 0, life, record);
      response.body.cancel('it redirects');
      if (redirects === limits.maxRedirects) {
        throw refusals.limit('maxRedirects', 'it was redirected too often');
      }
      if (next.hasBody && upload?.replayable === false) {
        throw refusals.failed(host, 'it redirects a body that is too long to be sent again');
      }
      record.close('allowed');
      request = next;
      from = host;
    } catch (error) {
      const explained = explainFailure(error, host, refusals);
      record.close(DENIALS.has(explained.code) ? 'denied' : 'failed', explained);
      // Ends an exchange as well whose answer nobody is going to read.
      life.fail(explained);
      life.end();
      throw explained;
    }
  }
}

const DENIALS: ReadonlySet<string> = new Set(['NETWORK_DENIED', 'EFFECT_DENIED']);

/** One request and its response. */
async function hop(
  spec: FollowSpec,
  request: NetworkRequest,
  upload: Upload | undefined,
  life: Life,
  record: OpenRecord,
): Promise<Response> {
  const sent = request.hasBody ? upload : undefined;
  const { connections, limits, refusals, secrets } = spec;
  const outgoing = await prepare(request, sent, secrets, limits, life);
  const lease = connections.lease(request.url, life.signal);
  const response = await exchange({
    client: lease.client,
    url: outgoing.url,
    method: request.method,
    headers: outgoing.headers,
    upload: sent,
    rewriter: outgoing.rewriter,
    limits,
    refusals,
    life,
    record,
    onDone: (ok) => {
      record.address = lease.address;
      lease.release(ok);
    },
  });
  const scrubber = secrets?.scrubberFor(hostOf(request.url));
  return scrubber === undefined ? response : { ...response, head: scrubber.head(response.head) };
}

function answer(
  { limits, refusals, secrets }: FollowSpec,
  request: NetworkRequest,
  response: Response,
  redirected: boolean,
  life: Life,
  record: OpenRecord,
): NetworkReply {
  const host = hostOf(request.url);
  const unpacked = bodyOf(response, request.method, limits, refusals);
  const scrubbed = secrets === undefined ? unpacked : secrets.scrubberFor(host).answer(unpacked);
  if (scrubbed === undefined) {
    throw refusals.failed(host, 'its answer is packed in a way that no secret can be taken out of');
  }
  const { headers, body } = scrubbed;
  const { status, statusText } = response.head;
  const reply = { url: request.url.href, status, statusText, redirected, headers };
  if (body === undefined) {
    response.body.cancel('it has no body');
    record.close('allowed');
    life.end();
    return { ...reply, body: undefined };
  }
  return {
    ...reply,
    body: lastingAs(life, record, body, (e) => explainFailure(e, host, refusals)),
  };
}

/** The body, with which the request's life ends, one way or the other. */
function lastingAs(
  life: Life,
  record: OpenRecord,
  body: ByteSource,
  explain: (error: unknown) => Error,
): ByteSource {
  const fail = (error: unknown): void => {
    body.cancel('the request is over');
    record.close('failed', error);
    life.end();
  };
  const abort = (): void => fail(life.signal.reason);
  const succeed = (): void => {
    record.close('allowed');
    life.end();
  };
  life.signal.addEventListener('abort', abort, { once: true });
  if (life.signal.aborted) abort();

  return {
    pull: async () => {
      try {
        const bytes = await body.pull();
        if (life.signal.aborted) throw life.signal.reason;
        if (bytes === undefined) {
          body.cancel('it has been read');
          succeed();
        }
        return bytes;
      } catch (error) {
        const explained = explain(error);
        fail(explained);
        throw explained;
      }
    },
    cancel: (reason) => {
      body.cancel(reason);
      succeed();
    },
  };
}
