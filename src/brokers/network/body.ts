import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { BulkheadError } from '../../errors.js';
import { decodersFor } from './decode.js';
import type { Response } from './exchange.js';
import { type Header, without } from './headers.js';
import type { NetworkLimits } from './limits.js';
import type { Refusals } from './refusals.js';

/**
 * The body as a plugin reads it: decompressed, and held to the cap at every stage, because what
 * lies between two codings can be a bomb of its own. Headers that describe the body as it came go
 * when it is unpacked. Without a body: a HEAD request, or a status that has none.
 */
export function bodyOf(
  response: Response,
  method: string,
  limits: NetworkLimits,
  refusals: Refusals,
): { readonly headers: readonly Header[]; readonly body: ByteSource | undefined } {
  const { head } = response;
  if (method === 'HEAD' || BODILESS.has(head.status)) {
    return { headers: head.headers, body: undefined };
  }
  const limit = (source: ByteSource): ByteSource =>
    limitBytes(source, limits.maxResponseBytes, () =>
      refusals.limit('maxResponseBytes', 'its answer is too long'),
    );
  // Several lines of a list are one list.
  const codings = head.headers.filter(([name]) => name === 'content-encoding');
  const decoders = decodersFor(codings.map(([, value]) => value).join());
  let body = limit(response.body);
  if (decoders === undefined) return { headers: head.headers, body };
  if (decoders.length > limits.maxContentCodings) {
    throw refusals.limit('maxContentCodings', 'its answer is packed too many times over');
  }
  for (const decode of decoders) body = limit(decode(body));
  return { headers: without(head.headers, ['content-encoding', 'content-length']), body };
}

const BODILESS = new Set([101, 204, 205, 304]);

/** Passes bytes on until there are too many of them. */
function limitBytes(
  source: ByteSource,
  maxBytes: number,
  tooMany: () => BulkheadError,
): ByteSource {
  let passed = 0;
  return {
    pull: async () => {
      const bytes = await source.pull();
      passed += bytes?.length ?? 0;
      if (passed > maxBytes) {
        source.cancel('too long');
        throw tooMany();
      }
      return bytes;
    },
    cancel: (reason) => source.cancel(reason),
  };
}
