import type { FetchParams } from '../../wire/methods.js';
import { isRecord } from '../../wire/parse.js';
import { makeRevocation } from '../denial.js';
import type { EndowmentPowers } from '../endowment.js';
import { signals } from '../events/signal.js';
import { type Exchange, makeExchange } from './exchange.js';
import { toNetworkError } from './network-error.js';
import { parseFetchReply } from './reply.js';
import { sendBody } from './request-body.js';
import type { RequestSpec } from './request-spec.js';
import { toRequestSpec } from './request.js';
import { receiveBody } from './response-body.js';
import { responseClasses } from './response.js';
import { makeTurnstile } from '../turnstile.js';

export interface Fetching {
  readonly fetch: (input: unknown, init?: unknown) => Promise<object>;
  /** Stops every exchange under way, and refuses all later ones. */
  readonly revoke: () => void;
  /** Takes requests again. */
  readonly restore: () => void;
}

/**
 * Makes a `fetch` that asks the host's network broker. At most `limits.maxFetches` wait for a
 * response at a time; more of them wait their turn.
 */
export function makeFetch(powers: EndowmentPowers): Fetching {
  const { host, limits, plugin } = powers;
  const { makeResponse } = responseClasses(powers);
  const turnstile = makeTurnstile(limits.maxFetches);
  const underWay = new Set<Exchange>();
  let revoked = false;

  const perform = async (spec: RequestSpec, exchange: Exchange): Promise<object> => {
    const turn = turnstile.enter();
    try {
      await exchange.race(turn.come);
      const asked = host.request('fetch', toParams(spec, exchange), { onAbort: exchange.onStop });
      asked.then(
        (late) => {
          if (exchange.stopped !== undefined) discard(late);
        },
        () => undefined,
      );
      const { body, ...reply } = parseFetchReply(await exchange.race(asked));
      if (exchange.stopped !== undefined) {
        // Stopped while the answer was on its way from there to here.
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
  const toParams = (spec: RequestSpec, exchange: Exchange): FetchParams => ({
    url: spec.url,
    method: spec.method,
    headers: spec.headers,
    redirect: spec.redirect,
    ...(spec.body === undefined ? {} : { body: host.openStream(sendBody(spec.body, exchange)) }),
    ...(spec.body?.bytes === undefined ? {} : { bodyBytes: spec.body.bytes.length }),
  });
  const discard = (reply: unknown): void => {
    if (isRecord(reply) && typeof reply['body'] === 'number') {
      host.acceptStream(reply['body']).cancel('aborted');
    }
  };

  return {
    fetch: async (input, init) => {
      const spec = toRequestSpec(input, init, powers);
      if (revoked) throw makeRevocation(plugin, 'network', spec.url);
      const signal = signals.read(spec.signal);
      if (signal?.aborted === true) throw signal.reason;
      const exchange = makeExchange(() => {
        underWay.delete(exchange);
        leaveSignal?.();
      });
      const leaveSignal = signal?.onAbort(() => exchange.stop(signal.reason));
      underWay.add(exchange);
      return perform(spec, exchange);
    },
    revoke: () => {
      revoked = true;
      for (const exchange of underWay) exchange.stop(makeRevocation(plugin, 'network', 'fetch'));
    },
    restore: () => {
      revoked = false;
    },
  };
}
