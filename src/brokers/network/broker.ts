import { isRecord } from '../../../sandbox/wire/json.js';
import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { type Attribution, type NetworkRecord, type OpenFields, openRecord } from '../record.js';
import { type AnswerRequest, makeAnsweredConnections } from './answered.js';
import { makeConnections } from './connections.js';
import { checkName, makeDial, makeResolve, type Resolve } from './dial.js';
import {
  fetchWithRedirects,
  type FetchWithRedirectsSpec,
  type NetworkReply,
} from './fetch-with-redirects.js';
import type { RequestGate } from './outbound-request.js';
import { type RequestLifetime, startRequestLifetime } from './request-lifetime.js';
import { NETWORK_LIMITS, type NetworkLimits } from '../limits.js';
import { hostOf } from './addresses.js';
import { type HostOverride, parseOverrides } from './overrides.js';
import { makeRefusals } from './refusals.js';
import { type NetworkRequest, parseRequest } from './request.js';
import { type MakeSecretFilter, secretFilterFor } from './secrets/filter.js';
import type { Secret, SecretUse } from './secrets/secret.js';
import { type Connect, connectTcp, makeTrust, makeTunnel } from './sockets.js';
import { makeUpload } from './upload.js';
import { makeSemaphore } from '../../../sandbox/wire/semaphore.js';

export interface NetworkBrokerSpec {
  readonly plugin: PluginIdentity;
  /** The granted permissions as text, for refusals. */
  readonly granted: readonly string[];
  /** Whether the grant covers a request. Called for every hop. The URL has no fragment. */
  readonly allows: (url: URL, method: string) => boolean;
  /** Hosts that the operator serves at another address. */
  readonly overrides?: readonly HostOverride[];
  /** Certificates (PEM) of authorities that the operator trusts, in addition to Node's. */
  readonly ca?: readonly string[];
  /**
   * A proxy for every host without an override. The proxy then decides which addresses are reached
   * (see `Tunnel`). Proxies in environment variables are ignored.
   */
  readonly proxy?: string;
  /** Answers every permitted request in place of the network. Default: none. */
  readonly answer?: AnswerRequest;
  /** Secrets that the plugin has references to: inserted into requests, scrubbed from responses. */
  readonly secrets?: readonly Secret[];
  readonly limits?: Partial<NetworkLimits>;
  /** Default: the machine's name servers. */
  readonly resolve?: Resolve;
  /** Default: TCP. */
  readonly connect?: Connect;
  /** Writes queries into records in full. Default: false. */
  readonly recordQueries?: boolean;
  readonly onEvent?: (record: NetworkRecord) => void;
  readonly onSecret?: (use: SecretUse) => void;
}

/** Makes requests for one plugin, within its grant. Plugins share no broker. */
export interface NetworkBroker {
  /**
   * Makes one request. `params` come from a guest (`FetchParams`) and are parsed here. `body` is
   * read at the server's pace, and is always cancelled at the end. The signal also cancels the
   * response's body.
   *
   * Rejects with `NETWORK_DENIED`, `NETWORK_FAILED`, `NETWORK_LIMIT`, `CANCELLED` by the signal,
   * `PERMISSION_REVOKED` after `close`, or the error of `gate`. The gate sees every request that
   * may change something before it is sent. The body fails with the same errors.
   */
  fetch(
    params: unknown,
    body: ByteSource | undefined,
    signal: AbortSignal,
    attribution?: Attribution,
    gate?: RequestGate,
  ): Promise<NetworkReply>;
  /**
   * Applies a changed grant, which `allows` answers for already. Ends the open requests with a hop that
   * it does not cover. If the plugin lost a secret, ends all open requests.
   */
  updateGrant(next: Pick<NetworkBrokerSpec, 'granted' | 'secrets'>): void;
  /** Ends every open request and every connection. */
  close(): Promise<void>;
  /** Open requests, including those whose body is not read completely. */
  readonly active: number;
}

/** Throws `INVALID_OPTIONS` for an invalid override or proxy. */
export function makeNetworkBroker(spec: NetworkBrokerSpec): NetworkBroker {
  const { plugin } = spec;
  const limits: NetworkLimits = { ...NETWORK_LIMITS, ...spec.limits };
  const granted = [...spec.granted];
  const refusals = makeRefusals(plugin, granted, limits);
  const overrides = parseOverrides(spec.overrides ?? []);
  const authorities = spec.ca ?? [];
  const connections =
    spec.answer !== undefined
      ? makeAnsweredConnections(spec.answer)
      : makeConnections(
          makeDial({
            overrides,
            resolve: spec.resolve ?? makeResolve(),
            connect: spec.connect ?? connectTcp,
            tunnel: spec.proxy === undefined ? undefined : makeTunnel(spec.proxy, authorities),
            trust: makeTrust(authorities),
            limits,
            refusals,
          }),
          limits,
        );
  let secrets = spec.secrets ?? [];
  let secretFilter: MakeSecretFilter | undefined = secretFilterFor(secrets);
  const semaphore = makeSemaphore({
    maxActive: limits.maxActive,
    maxQueued: limits.maxQueued,
    full: () => refusals.limit('maxQueued', 'too many of its requests are queued'),
  });
  /** The open requests, each with its hops so far. */
  const lifetimes = new Map<RequestLifetime, NetworkRequest[]>();
  let closed = false;

  const admit: FetchWithRedirectsSpec['admit'] = (request, from, lifetime) => {
    const { url, method } = request;
    const host = hostOf(url);
    if (!overrides.has(host)) checkName(host, refusals);
    // guard: request-host-granted
    if (!spec.allows(url, method)) throw refusals.notGranted(url, method, from);
    // guard: package-redirect-covered
    if (request.within !== undefined && request.within(url, method) === undefined) {
      throw refusals.notOfPackage(url, from);
    }
    lifetimes.get(lifetime)?.push(request);
  };
  const fetchSpec = (
    attribution: Attribution,
    gate: RequestGate | undefined,
  ): FetchWithRedirectsSpec => ({
    gate,
    connections,
    limits,
    refusals,
    openRecord: (url, method) =>
      openRecord<OpenFields<NetworkRecord>>(
        {
          type: 'network',
          plugin: plugin.id,
          url: formatUrl(url, spec.recordQueries ?? false),
          method,
          bytesIn: 0,
          bytesOut: 0,
          ...attribution,
        },
        spec.onEvent,
      ),
    get secrets() {
      return secretFilter?.((use) => spec.onSecret?.({ ...use, ...attribution }));
    },
    admit,
  });

  const parse = (
    params: unknown,
    hasBody: boolean,
    open: FetchWithRedirectsSpec['openRecord'],
  ): NetworkRequest => {
    try {
      return parseRequest(params, hasBody, limits, refusals);
    } catch (error) {
      const url = isRecord(params) && typeof params['url'] === 'string' ? params['url'] : '';
      open(url, '').close('denied', error);
      throw error;
    }
  };

  return {
    fetch: async (params, body, signal, attribution = {}, gate) => {
      const lifetime = startRequestLifetime(signal, limits, refusals);
      lifetimes.set(lifetime, []);
      lifetime.onEnd(() => lifetimes.delete(lifetime));
      const upload = body === undefined ? undefined : makeUpload(body, limits, refusals);
      lifetime.onEnd(() => upload?.cancel());
      try {
        if (closed) throw refusals.revoked();
        const context = fetchSpec(attribution, gate);
        const request = parse(params, body !== undefined, context.openRecord);
        lifetime.onEnd(await semaphore.acquire(lifetime.signal));
        return await fetchWithRedirects(context, request, upload, lifetime);
      } catch (error) {
        lifetime.end();
        throw error;
      }
    },
    updateGrant: (next) => {
      granted.splice(0, granted.length, ...next.granted);
      const nextSecrets = next.secrets ?? [];
      const lost = secrets.some((secret) => !nextSecrets.includes(secret));
      secrets = nextSecrets;
      secretFilter = secretFilterFor(secrets);
      for (const [lifetime, hops] of lifetimes) {
        const allowed = hops.every(({ url, method }) => spec.allows(url, method));
        // guard: request-ends-on-revocation
        if (lost || !allowed) lifetime.fail(refusals.revoked());
      }
    },
    close: async () => {
      closed = true;
      for (const lifetime of lifetimes.keys()) lifetime.fail(refusals.revoked());
      await connections.close();
    },
    get active() {
      return semaphore.active;
    },
  };
}

/** A URL for the record. Text that is not a URL becomes a JSON string. */
function formatUrl(url: URL | string, withQueries: boolean): string {
  if (typeof url === 'string') return JSON.stringify(url.slice(0, 200));
  const query = url.search === '' || withQueries ? url.search : '?…';
  return `${url.origin}${url.pathname}${query}`;
}
