import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { bodyOf } from './response-body.js';
import { type Connections, DialError } from './connections.js';
import { exchange, type Response, type ResponseHead } from './exchange.js';
import { type Header, type NetworkRequest, without, checkUrl } from './request.js';
import type { RequestLifetime } from './request-lifetime.js';
import type { NetworkLimits } from '../limits.js';
import { type RequestGate, describeOutbound, prepare, SecretRefusal } from './outbound-request.js';
import { hostOf } from './addresses.js';
import type { NetworkRecord, OpenRecord } from '../record.js';
import { type Refusals, cut } from './refusals.js';
import type { SecretFilter } from './secrets/filter.js';
import type { Upload } from './upload.js';
import { type BulkheadError, isBulkheadError, systemCode } from '../../errors.js';

/** The response to a plugin's request. */
export interface NetworkReply {
  /** The final URL, without a fragment. */
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly redirected: boolean;
  readonly headers: readonly Header[];
  /** Absent if HTTP allows none. Read it to its end or cancel it. */
  readonly body: ByteSource | undefined;
}

export interface FetchWithRedirectsSpec {
  readonly connections: Connections;
  readonly limits: NetworkLimits;
  readonly refusals: Refusals;
  readonly openRecord: (url: URL | string, method: string) => OpenRecord<NetworkRecord>;
  readonly secrets: SecretFilter | undefined;
  /** Throws a refusal if the request is not allowed. `from` is the host that redirected. */
  readonly admit: (
    request: NetworkRequest,
    from: string | undefined,
    lifetime: RequestLifetime,
  ) => void;
  /** Called at each hop before a request that may change something is sent. */
  readonly gate: RequestGate | undefined;
}

/**
 * Makes a request and follows its redirects. Each hop gets the same checks. The lifetime ends with
 * the body of the response, or with the `BulkheadError` that this throws.
 */
export async function fetchWithRedirects(
  spec: FetchWithRedirectsSpec,
  first: NetworkRequest,
  upload: Upload | undefined,
  lifetime: RequestLifetime,
): Promise<NetworkReply> {
  const { refusals, limits } = spec;
  let request = first;
  let from: string | undefined;
  for (let redirects = 0; ; redirects += 1) {
    const host = hostOf(request.url);
    const record = spec.openRecord(request.url, request.method);
    try {
      // guard: redirect-host-granted
      spec.admit(request, from, lifetime);
      // guard: redirect-write-gated
      await describeOutbound(spec.gate, request, upload, lifetime);
      const response = await hop(spec, request, upload, lifetime, record);
      const next = redirectOf(request, response.head, refusals);
      if (next === undefined)
        return answer(spec, request, response, redirects > 0, lifetime, record);
      response.body.cancel('it redirects');
      // guard: redirect-cap
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
      // Also ends an exchange whose response is never read.
      lifetime.fail(explained);
      lifetime.end();
      throw explained;
    }
  }
}

const DENIALS: ReadonlySet<string> = new Set(['NETWORK_DENIED', 'EFFECT_DENIED']);

/** One request and its response. */
async function hop(
  spec: FetchWithRedirectsSpec,
  request: NetworkRequest,
  upload: Upload | undefined,
  lifetime: RequestLifetime,
  record: OpenRecord<NetworkRecord>,
): Promise<Response> {
  const sent = request.hasBody ? upload : undefined;
  const { connections, limits, refusals, secrets } = spec;
  const outgoing = await prepare(request, sent, secrets, limits, lifetime).catch(
    (error: unknown) => {
      if (!(error instanceof SecretRefusal)) throw error;
      throw refusals.otherAccount(request.url, error.message);
    },
  );
  const lease = await connections.lease(request.url, lifetime.signal);
  const response = await exchange({
    client: lease.client,
    url: outgoing.url,
    method: request.method,
    headers: outgoing.headers,
    upload: sent,
    rewriter: outgoing.rewriter,
    limits,
    refusals,
    lifetime,
    record,
    onDone: (ok) => {
      if (lease.address !== undefined) record.fields.address = lease.address;
      lease.release(ok);
    },
  });
  const scrubber = secrets?.scrubberFor(hostOf(request.url));
  // guard: secret-scrubbed-from-headers
  return scrubber === undefined ? response : { ...response, head: scrubber.head(response.head) };
}

function answer(
  { limits, refusals, secrets }: FetchWithRedirectsSpec,
  request: NetworkRequest,
  response: Response,
  redirected: boolean,
  lifetime: RequestLifetime,
  record: OpenRecord<NetworkRecord>,
): NetworkReply {
  const host = hostOf(request.url);
  const unpacked = bodyOf(response, request.method, limits, refusals);
  const scrubbed = secrets === undefined ? unpacked : secrets.scrubberFor(host).answer(unpacked);
  if (scrubbed === undefined) {
    throw refusals.failed(
      host,
      'its answer has an unknown encoding, so that secrets cannot be removed from it',
    );
  }
  const { headers, body } = scrubbed;
  const { status, statusText } = response.head;
  const reply = { url: request.url.href, status, statusText, redirected, headers };
  if (body === undefined) {
    response.body.cancel('it has no body');
    record.close('allowed');
    lifetime.end();
    return { ...reply, body: undefined };
  }
  return {
    ...reply,
    body: lastingAs(lifetime, record, body, (e) => explainFailure(e, host, refusals)),
  };
}

/** A body that closes the record and ends the lifetime. */
function lastingAs(
  lifetime: RequestLifetime,
  record: OpenRecord<NetworkRecord>,
  body: ByteSource,
  explain: (error: unknown) => Error,
): ByteSource {
  const fail = (error: unknown): void => {
    body.cancel('the request is over');
    record.close('failed', error);
    lifetime.end();
  };
  const abort = (): void => fail(lifetime.signal.reason);
  const succeed = (): void => {
    record.close('allowed');
    lifetime.end();
  };
  lifetime.signal.addEventListener('abort', abort, { once: true });
  if (lifetime.signal.aborted) abort();

  return {
    pull: async () => {
      try {
        const bytes = await body.pull();
        if (lifetime.signal.aborted) throw lifetime.signal.reason;
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

/**
 * The request to which a response redirects, by the fetch standard; `undefined` if the response is
 * final. The caller checks it against the grant. Throws for an invalid redirect.
 */
export function redirectOf(
  request: NetworkRequest,
  head: ResponseHead,
  refusals: Refusals,
): NetworkRequest | undefined {
  if (!REDIRECTS.has(head.status) || request.redirect === 'manual') return undefined;
  const locations = head.headers.filter(([name]) => name === 'location');
  const location = locations[0]?.[1];
  if (location === undefined) return undefined;
  const host = hostOf(request.url);
  if (request.redirect === 'error') {
    throw refusals.failed(host, 'it redirects, which the request does not allow');
  }
  // Servers and caches disagree which of two headers counts, so both are refused.
  if (locations.length > 1) throw refusals.failed(host, 'it redirects to several places at once');
  if (!URL.canParse(location, request.url.href)) {
    throw refusals.failed(host, 'it redirects to an invalid URL');
  }
  const url = checkUrl(new URL(location, request.url), refusals);
  const sameOrigin = url.origin === request.url.origin;
  const asGet =
    (head.status === 303 && request.method !== 'GET' && request.method !== 'HEAD') ||
    ((head.status === 301 || head.status === 302) && request.method === 'POST');
  // guard: redirect-credentials-dropped
  const dropped = [...(sameOrigin ? [] : CREDENTIALS), ...(asGet ? ABOUT_THE_BODY : [])];
  return {
    ...request,
    url,
    headers: without(request.headers, dropped),
    ...(asGet ? { method: 'GET', hasBody: false, bodyBytes: undefined } : {}),
  };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
// These belong to the first host. (`proxy-authorization` is refused earlier.)
const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization'];
const ABOUT_THE_BODY = ['content-encoding', 'content-language', 'content-location', 'content-type'];

/**
 * Converts an error of an exchange to one for the plugin. The original error may contain addresses.
 * It becomes the cause, for the host's log.
 */
export function explainFailure(error: unknown, host: string, refusals: Refusals): BulkheadError {
  if (isBulkheadError(error)) return error;
  if (error instanceof DialError) return explainFailure(error.cause, host, refusals);
  const code = systemCode(error) ?? '';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return refusals.limit('maxResponseHeaderBytes', `the headers of ${cut(host)} are too long`);
  }
  return refusals.failed(host, sentence(code), error);
}

function sentence(code: string): string {
  const known = SENTENCES.get(code);
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'the answer is not valid HTTP';
  if (/^(Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING)/.test(code))
    return 'the answer cannot be decompressed';
  if (/CERT|SIGNED|ISSUER|ERR_TLS|VERIFY/.test(code)) {
    return 'its TLS certificate is not trusted. Only the operator can add a CA';
  }
  if (/^ERR_SSL|^EPROTO/.test(code)) return 'no TLS connection could be made';
  return 'the connection failed';
}

const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'there is no such host'],
  ['ENODATA', 'there is no such host'],
  ['EBADNAME', 'there is no such host'],
  ['ESERVFAIL', 'its name could not be resolved'],
  ['ETIMEOUT', 'its name could not be resolved in time'],
  ['EAI_AGAIN', 'its name could not be resolved'],
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was closed before the answer was complete'],
  ['EPIPE', 'the connection was closed before the request was complete'],
  ['UND_ERR_SOCKET', 'the connection was closed before the answer was complete'],
  ['ETIMEDOUT', 'the host could not be reached in time'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the host cannot be reached'],
  ['EADDRNOTAVAIL', 'the host cannot be reached'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'the length of the answer is not the announced length'],
  ['UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', 'the length of the body is not the announced length'],
]);
