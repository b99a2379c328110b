import { type Header, valueOf, without } from './headers.js';
import type { Life } from './life.js';
import { untilAborted } from '../until-aborted.js';
import type { NetworkLimits } from './limits.js';
import type { NetworkRequest } from './request.js';
import type { SecretKeeper } from './secrets/keep.js';
import type { Rewriter } from './secrets/rewrite.js';
import type { Upload } from './upload.js';

/** What goes out on one hop. */
export interface Outgoing {
  readonly url: URL;
  readonly headers: readonly Header[];
  /** What the body passes through, where there is one. */
  readonly rewriter: Rewriter | undefined;
}

/** Completes a request with what we say in every one, its length and its secrets. */
export async function prepare(
  request: NetworkRequest,
  upload: Upload | undefined,
  secrets: SecretKeeper | undefined,
  limits: NetworkLimits,
  life: Life,
): Promise<Outgoing> {
  const { url, method, bodyBytes } = request;
  if (upload !== undefined && bodyBytes === undefined) await upload.lookAhead();
  const length: Header[] =
    upload !== undefined && bodyBytes !== undefined ? [['content-length', String(bodyBytes)]] : [];
  if (secrets === undefined) {
    return { url, headers: [...withDefaults(request.headers), ...length], rewriter: undefined };
  }
  // What we cannot unpack, we cannot scrub: the plugin has no say in how an answer is packed.
  const headers = withDefaults(without(request.headers, ['accept-encoding']));
  const inserted = secrets.insert({ url, method, headers });
  if (upload !== undefined && inserted.resizesBody) {
    // A length that was announced is for another body. One that is gathered has its own.
    const fits = bodyBytes !== undefined && bodyBytes <= limits.maxReplayBytes;
    if (fits) await untilAborted(life.signal, upload.gather());
    return { url: inserted.url, headers: inserted.headers, rewriter: inserted.body };
  }
  return { url: inserted.url, headers: [...inserted.headers, ...length], rewriter: inserted.body };
}

/** Some servers turn away who does not say what it is, so we say it where the plugin does not. */
function withDefaults(headers: readonly Header[]): readonly Header[] {
  return [...headers, ...DEFAULTS.filter(([name]) => valueOf(headers, name) === undefined)];
}

const DEFAULTS: readonly Header[] = [
  ['accept', '*/*'],
  ['accept-encoding', 'gzip, deflate, br'],
  ['user-agent', 'bulkhead'],
];
