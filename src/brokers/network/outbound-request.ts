import type { RequestLifetime } from './request-lifetime.js';
import { untilAborted } from '../until-aborted.js';
import { type NetworkRequest, type Header, valueOf, without } from './request.js';
import type { Upload } from './upload.js';
import type { NetworkLimits } from '../limits.js';
import type { SecretFilter } from './secrets/filter.js';
import type { Rewriter } from './secrets/rewrite.js';

/** A request before it is sent, for a gate. It does not contain secrets yet. */
export interface OutboundRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly (readonly [string, string])[];
  /** The beginning of its body, if any. */
  readonly body?: Uint8Array;
  /** Whether `body` is the whole body. */
  readonly whole: boolean;
}

/**
 * Resolves if the request may be sent. A rejection is passed to the plugin. The signal aborts if
 * the request is cancelled meanwhile.
 */
export interface RequestGate {
  (leaving: OutboundRequest, signal: AbortSignal): Promise<void>;
  /** Whether it also gets requests that change nothing. Default: no. */
  readonly holdsReads?: true;
}

/** Methods that change nothing, by the rules of HTTP. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Headers that make some servers treat a request as one of another method, without their separators:
 * CGI and its successors read `X_HTTP_Method_Override` and `X-HTTP-Method-Override` as one header.
 */
const OVERRIDE =
  /^(?:x?(?:http)?methodoverride|x?httpmethod|x?overridemethod|x?method|xrequestmethod)$/;

function isOverride(name: string): boolean {
  // guard: method-override-in-any-spelling
  return OVERRIDE.test(name.toLowerCase().replaceAll(/[^a-z]/g, ''));
}

export function changesState({
  method,
  headers,
}: Pick<NetworkRequest, 'method' | 'headers'>): boolean {
  return !SAFE.has(method) || headers.some(([name]) => isOverride(name));
}

/** Passes a request that may change something to the gate, before any byte is sent. */
export async function describeOutbound(
  gate: RequestGate | undefined,
  request: NetworkRequest,
  upload: Upload | undefined,
  lifetime: RequestLifetime,
): Promise<void> {
  const { method, url, headers } = request;
  if (gate === undefined || (gate.holdsReads !== true && !changesState(request))) return;
  const body = request.hasBody ? await untilAborted(lifetime.signal, lookAt(upload)) : undefined;
  const { whole = true, bytes } = body ?? {};
  await untilAborted(
    lifetime.signal,
    gate(
      { method, url, headers, ...(bytes === undefined ? {} : { body: bytes }), whole },
      // guard: held-request-abort-ends-pause
      lifetime.signal,
    ),
  );
}

async function lookAt(
  upload: Upload | undefined,
): Promise<{ readonly bytes: Uint8Array; readonly whole: boolean } | undefined> {
  return upload?.look();
}

/** The request of one hop, as it is sent. */
export interface Outgoing {
  readonly url: URL;
  readonly headers: readonly Header[];
  /** Rewrites the body, if any. */
  readonly rewriter: Rewriter | undefined;
}

/** Why a request must not be sent, by the binding of a secret. */
export class SecretRefusal extends Error {}

/** Adds default headers, the body's length, and secrets to a request. Rejects with a `SecretRefusal`. */
export async function prepare(
  request: NetworkRequest,
  upload: Upload | undefined,
  secrets: SecretFilter | undefined,
  limits: NetworkLimits,
  lifetime: RequestLifetime,
): Promise<Outgoing> {
  const { url, method, bodyBytes } = request;
  if (upload !== undefined && bodyBytes === undefined) await upload.lookAhead();
  const length: Header[] =
    upload !== undefined && bodyBytes !== undefined ? [['content-length', String(bodyBytes)]] : [];
  if (secrets === undefined) {
    return { url, headers: [...withDefaults(request.headers), ...length], rewriter: undefined };
  }
  // A response that cannot be decoded cannot be scrubbed, so the plugin does not choose its coding.
  const headers = withDefaults(without(request.headers, ['accept-encoding']));
  const inserted = secrets.insert({ url, method, headers });
  if (inserted.refused !== undefined) throw new SecretRefusal(inserted.refused);
  if (upload !== undefined && inserted.resizesBody) {
    // The announced length belongs to another body. A buffered body has its own length.
    const fits = bodyBytes !== undefined && bodyBytes <= limits.maxReplayBytes;
    if (fits) await untilAborted(lifetime.signal, upload.gather());
    return { url: inserted.url, headers: inserted.headers, rewriter: inserted.body };
  }
  return { url: inserted.url, headers: [...inserted.headers, ...length], rewriter: inserted.body };
}

/** Some servers refuse requests without these headers. */
function withDefaults(headers: readonly Header[]): readonly Header[] {
  return [...headers, ...DEFAULTS.filter(([name]) => valueOf(headers, name) === undefined)];
}

const DEFAULTS: readonly Header[] = [
  ['accept', '*/*'],
  ['accept-encoding', 'gzip, deflate, br'],
  ['user-agent', 'bulkhead'],
];
