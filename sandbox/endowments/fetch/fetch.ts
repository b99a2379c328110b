import { isRecord } from '../../wire/json.js';
import type { FetchParams, FetchReply } from '../../wire/methods.js';
import { makeSemaphore } from '../../wire/semaphore.js';
import { makeRevocation } from '../denial.js';
import { coversRequest } from '../../wire/network-scope.js';
import type { EndowmentCapabilities, NetworkLimit } from '../endowment.js';
import { signals } from '../events/signal.js';
import { type Exchange, makeExchange } from './exchange.js';
import { toNetworkError } from './network-error.js';
import { sendBody, receiveBody } from './body-transfer.js';
import type { RequestSpec } from './request-spec.js';
import { toRequestSpec } from './request.js';
import { responseClasses } from './response.js';

type Fetch = (input: unknown, init?: unknown) => Promise<object>;

export interface Fetching {
  readonly fetch: Fetch;
  /** A `fetch` for fewer hosts. */
  readonly fetchWithin: (limit: NetworkLimit) => Fetch;
  /** Stops every open exchange, and refuses later ones. */
  readonly revoke: () => void;
  /** Allows requests again. */
  readonly restore: () => void;
}

/**
 * Makes a `fetch` over the host's network broker. At most `limits.maxFetches` requests wait for a
 * response at a time. Further requests queue.
 */
export function makeFetch(capabilities: EndowmentCapabilities): Fetching {
  const { host, limits, plugin } = capabilities;
  const { makeResponse } = responseClasses(capabilities);
  const semaphore = makeSemaphore({ maxActive: limits.maxFetches });
  const underWay = new Set<Exchange>();
  let revoked = false;

  const perform = async (
    spec: RequestSpec,
    exchange: Exchange,
    call: number | undefined,
    limit: NetworkLimit | undefined,
  ): Promise<object> => {
    const turn = semaphore.enter();
    try {
      await exchange.race(turn.ready);
      const asked = host.request('fetch', toParams(spec, exchange, call, limit), {
        onAbort: exchange.onStop,
      });
      asked.then(
        (late) => {
          if (exchange.stopped !== undefined) discard(late);
        },
        () => undefined,
      );
      const { body, ...reply } = parseFetchReply(await exchange.race(asked));
      if (exchange.stopped !== undefined) {
        // Stopped while the answer was in transit.
        discard({ ...reply, body });
        throw exchange.stopped.reason;
      }
      if (body === undefined) exchange.end();
      return makeResponse({
        ...reply,
        headers: [...reply.headers],
        body: body === undefined ? undefined : receiveBody(host.acceptStream(body), exchange),
      });
    } catch (error) {
      exchange.end();
      throw exchange.stopped === undefined ? toNetworkError(error) : exchange.stopped.reason;
    } finally {
      turn.leave();
    }
  };
  const toParams = (
    spec: RequestSpec,
    exchange: Exchange,
    call: number | undefined,
    limit: NetworkLimit | undefined,
  ): FetchParams => ({
    url: spec.url,
    method: spec.method,
    headers: spec.headers,
    redirect: spec.redirect,
    ...(spec.body === undefined ? {} : { body: host.openStream(sendBody(spec.body, exchange)) }),
    ...(spec.body?.bytes === undefined ? {} : { bodyBytes: spec.body.bytes.length }),
    ...(call === undefined ? {} : { call }),
    // guard: package-redirect-limited
    ...(limit === undefined ? {} : { within: limit.hosts.map(({ text }) => text) }),
  });
  const discard = (reply: unknown): void => {
    if (isRecord(reply) && typeof reply['body'] === 'number') {
      host.acceptStream(reply['body']).cancel('aborted');
    }
  };

  const check = ({ url, method }: RequestSpec, { hosts, denial }: NetworkLimit): void => {
    const target = capabilities.url.parse(url);
    // guard: package-host-listed
    if (target !== undefined && hosts.some((scope) => coversRequest(scope, target, method))) return;
    throw denial(`${method} ${url}`);
  };
  const makeOne =
    (limit?: NetworkLimit): Fetch =>
    async (input, init) => {
      const spec = toRequestSpec(input, init, capabilities);
      // guard: fetch-revoked
      if (revoked) throw makeRevocation(plugin, 'network', spec.url);
      if (limit !== undefined) check(spec, limit);
      const signal = signals.read(spec.signal);
      if (signal?.aborted === true) throw signal.reason;
      const exchange = makeExchange(() => {
        underWay.delete(exchange);
        leaveSignal?.();
      });
      const leaveSignal = signal?.onAbort(() => exchange.stop(signal.reason));
      underWay.add(exchange);
      return perform(spec, exchange, signal?.call, limit);
    };

  return {
    fetch: makeOne(),
    fetchWithin: makeOne,
    revoke: () => {
      revoked = true;
      for (const exchange of underWay) exchange.stop(makeRevocation(plugin, 'network', 'fetch'));
    },
    restore: () => {
      revoked = false;
    },
  };
}

/** Parses the host's answer to a `fetch`. Throws a TypeError for anything else. */
export function parseFetchReply(reply: unknown): FetchReply {
  if (!isRecord(reply)) throw malformed();
  const { url, status, statusText, redirected, headers, body } = reply;
  if (
    typeof url !== 'string' ||
    typeof status !== 'number' ||
    typeof statusText !== 'string' ||
    typeof redirected !== 'boolean' ||
    !Array.isArray(headers)
  ) {
    throw malformed();
  }
  return {
    url,
    status,
    statusText,
    redirected,
    headers: headers.map(parseHeader),
    ...(typeof body === 'number' ? { body } : {}),
  };
}

function parseHeader(header: unknown): readonly [string, string] {
  const [name, value]: unknown[] = Array.isArray(header) ? header : [];
  if (typeof name !== 'string' || typeof value !== 'string') throw malformed();
  return [name.toLowerCase(), value];
}

function malformed(): TypeError {
  return new TypeError('The host answered with something else than a response');
}
