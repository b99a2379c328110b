import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { Attribution } from '../attribution.js';
import { makeConnections } from './connections.js';
import { checkName, makeDial } from './dial.js';
import { follow, type FollowSpec, type NetworkReply } from './follow.js';
import type { HoldRequest } from './leaving.js';
import { type Life, startLife } from './life.js';
import { NETWORK_LIMITS, type NetworkLimits } from './limits.js';
import { hostOf } from './names.js';
import { type HostOverride, parseOverrides } from './overrides.js';
import { makeRecorder, type NetworkRecord, type Recorder } from './record.js';
import { makeRefusals } from './refusals.js';
import { type NetworkRequest, parseRequest } from './request.js';
import { makeResolve, type Resolve } from './resolve.js';
import { type KeepFor, keepSecrets } from './secrets/keep.js';
import type { Secret, SecretUse } from './secrets/secret.js';
import { type Connect, connectTcp, makeTrust } from './sockets.js';
import { makeTunnel } from './tunnel.js';
import { makeUpload } from './upload.js';
import { makeTurnstile } from '../turnstile.js';

export interface NetworkBrokerSpec {
  readonly plugin: PluginIdentity;
  /** The granted permissions as text: what refusals name. */
  readonly granted: readonly string[];
  /** Whether the grant covers a request, asked for every hop. The URL has no fragment. */
  readonly allows: (url: URL, method: string) => boolean;
  /** Hosts that the operator serves elsewhere. */
  readonly overrides?: readonly HostOverride[];
  /** Certificates (PEM) of authorities that the operator trusts besides Node's own. */
  readonly ca?: readonly string[];
  /**
   * A proxy for everything that no override serves. Which addresses are reached is then the
   * proxy's to decide: see `Tunnel`. Proxies named by environment variables are never used.
   */
  readonly proxy?: string;
  /** What the plugin holds references to: put into requests and taken out of answers here. */
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

/** Makes requests for one plugin, as far as its grant goes. Shares nothing with another's. */
export interface NetworkBroker {
  /**
   * Makes one request. `params` are a guest's, as in `FetchParams`, and are parsed here; `body` is
   * read as fast as the server takes it, and cancelled in the end whatever happens. The signal
   * holds for the answer's body too.
   *
   * Rejects with `NETWORK_DENIED`, `NETWORK_FAILED`, `NETWORK_LIMIT`, `CANCELLED` by the signal, or
   * `PERMISSION_REVOKED` after `close`, or what `hold` rejects with: it sees what changes something
   * before it leaves. The body fails with one of these as well.
   */
  fetch(
    params: unknown,
    body: ByteSource | undefined,
    signal: AbortSignal,
    behalf?: Attribution,
    hold?: HoldRequest,
  ): Promise<NetworkReply>;
  /**
   * The grant, which `allows` answers for, has changed: ends what is under way and could not be asked
   * any more, at whatever hop it is. Where the plugin holds fewer secrets, ends everything under way.
   */
  follow(next: Pick<NetworkBrokerSpec, 'granted' | 'secrets'>): void;
  /** Ends what is under way and every connection. */
  close(): Promise<void>;
  /** Requests under way, up to the end of their bodies. */
  readonly active: number;
}

/** Throws `INVALID_OPTIONS` for overrides and proxies that cannot be read. */
export function makeNetworkBroker(spec: NetworkBrokerSpec): NetworkBroker {
  const { plugin } = spec;
  const limits: NetworkLimits = { ...NETWORK_LIMITS, ...spec.limits };
  const granted = [...spec.granted];
  const refusals = makeRefusals(plugin, granted, limits);
  const overrides = parseOverrides(spec.overrides ?? []);
  const authorities = spec.ca ?? [];
  const connections = makeConnections(
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
  let known = spec.secrets ?? [];
  let keepFor: KeepFor | undefined = keepSecrets(known);
  const allRecords = makeRecorder(
    plugin.id,
    spec.recordQueries ?? false,
    spec.onEvent ?? (() => {}),
  );
  const turnstile = makeTurnstile({
    maxActive: limits.maxActive,
    maxWaiting: limits.maxWaiting,
    full: () => refusals.limit('maxWaiting', 'too many of its requests wait already'),
  });
  /** What is under way, with every hop that it has made. */
  const lives = new Map<Life, NetworkRequest[]>();
  let closed = false;

  const admit: FollowSpec['admit'] = (request, from, life) => {
    const { url, method } = request;
    const host = hostOf(url);
    if (!overrides.has(host)) checkName(host, refusals);
    if (!spec.allows(url, method)) throw refusals.notGranted(url, method, from);
    lives.get(life)?.push(request);
  };
  const followingOf = (behalf: Attribution, hold: HoldRequest | undefined): FollowSpec => ({
    hold,
    connections,
    limits,
    refusals,
    recorder: allRecords.on(behalf),
    get secrets() {
      return keepFor?.((use) => spec.onSecret?.({ ...use, ...behalf }));
    },
    admit,
  });

  const parse = (params: unknown, hasBody: boolean, recorder: Recorder): NetworkRequest => {
    try {
      return parseRequest(params, hasBody, limits, refusals);
    } catch (error) {
      recorder.open(urlText(params), '').close('denied', error);
      throw error;
    }
  };

  return {
    fetch: async (params, body, signal, behalf = {}, hold) => {
      const life = startLife(signal, limits, refusals);
      lives.set(life, []);
      life.onEnd(() => lives.delete(life));
      const upload = body === undefined ? undefined : makeUpload(body, limits, refusals);
      life.onEnd(() => upload?.cancel());
      try {
        if (closed) throw refusals.revoked();
        const following = followingOf(behalf, hold);
        const request = parse(params, body !== undefined, following.recorder);
        life.onEnd(await turnstile.enter(life.signal));
        return await follow(following, request, upload, life);
      } catch (error) {
        life.end();
        throw error;
      }
    },
    follow: (next) => {
      granted.splice(0, granted.length, ...next.granted);
      const held = next.secrets ?? [];
      const lost = known.some((secret) => !held.includes(secret));
      known = held;
      keepFor = keepSecrets(held);
      for (const [life, hops] of lives) {
        const allowed = hops.every(({ url, method }) => spec.allows(url, method));
        if (lost || !allowed) life.fail(refusals.revoked());
      }
    },
    close: async () => {
      closed = true;
      for (const life of lives.keys()) life.fail(refusals.revoked());
      await connections.close();
    },
    get active() {
      return turnstile.active;
    },
  };
}

function urlText(params: unknown): string {
  const url: unknown =
    typeof params === 'object' && params !== null && 'url' in params && params.url;
  return typeof url === 'string' ? url : '';
}
