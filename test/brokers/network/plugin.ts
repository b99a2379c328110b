import type { NetworkRecord } from '../../../src/brokers/record.js';
import { afterEachTest } from '../../tidying.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import {
  makeNetworkBroker,
  type NetworkBroker,
  type NetworkBrokerSpec,
} from '../../../src/brokers/network/broker.js';
import type { NetworkReply } from '../../../src/brokers/network/fetch-with-redirects.js';
import type { Resolve } from '../../../src/brokers/network/dial.js';
import { type Connect, connectTcp } from '../../../src/brokers/network/sockets.js';
import type { Served } from './servers.js';

const open = new Set<NetworkBroker>();
afterEachTest(async () => {
  await Promise.all([...open].map((broker) => broker.close()));
  open.clear();
});

export interface TestBroker extends NetworkBroker {
  readonly records: NetworkRecord[];
  /** A request as an honest guest sends it, with what a test wants otherwise. */
  get(url: string, more?: object, body?: ByteSource, signal?: AbortSignal): Promise<NetworkReply>;
}

/**
 * The broker of a plugin `weather` that is granted `api.test` and whatever else is named, where
 * `api.test` is served by `server`.
 */
export function brokerFor(
  server: Served | undefined,
  more: Partial<NetworkBrokerSpec> = {},
): TestBroker {
  const records: NetworkRecord[] = [];
  const granted = more.granted ?? ['api.test'];
  const broker = makeNetworkBroker({
    plugin: { id: 'weather', manifest: 'pandora.manifest.json' },
    granted,
    allows: (url) => granted.includes(url.host),
    // No test leaves this machine, even where the check that it tests is broken.
    resolve: noAnswer,
    connect: loopbackOnly,
    ...(server === undefined ? {} : { overrides: [{ host: 'api.test', url: server.url }] }),
    onEvent: (record) => records.push(record),
    ...more,
  });
  open.add(broker);
  return {
    ...broker,
    get active() {
      return broker.active;
    },
    records,
    get: (url, params, body, signal = new AbortController().signal) =>
      broker.fetch(
        { url, method: 'GET', headers: [], redirect: 'follow', ...params },
        body,
        signal,
      ),
  };
}

const noAnswer: Resolve = async () => {
  throw Object.assign(new Error('no name server in tests'), { code: 'ENOTFOUND' });
};

export const loopbackOnly: Connect = async (host, port, addresses, signal) => {
  const away = addresses.filter((address) => !/^127\.|^::1$/.test(address));
  if (away.length > 0) throw new Error(`a test dialled ${away.join()}`);
  return connectTcp(host, port, addresses, signal);
};

export function header(reply: NetworkReply, name: string): string | undefined {
  return reply.headers.find((entry) => entry[0] === name)?.[1];
}

/** Reads a body to its end. */
export async function bytesOf(body: ByteSource | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await body?.pull(); chunk !== undefined; chunk = await body?.pull()) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export async function textOf(body: ByteSource | undefined): Promise<string> {
  return (await bytesOf(body)).toString();
}

export interface TestSource extends ByteSource {
  readonly pulled: number;
  readonly cancelled: boolean;
}

/** A body of these chunks; with `hang`, one that never ends. */
export function sourceOf(chunks: Iterable<string | Uint8Array>, hang = false): TestSource {
  const iterator = chunks[Symbol.iterator]();
  let pulled = 0;
  let cancelled = false;
  let wake = (): void => {};
  return {
    pull: async () => {
      const { value, done } = iterator.next();
      if (done !== true && !cancelled) {
        pulled += 1;
        return typeof value === 'string' ? Buffer.from(value) : value;
      }
      if (hang && !cancelled) await new Promise<void>((resolve) => (wake = resolve));
      return undefined;
    },
    cancel: () => {
      cancelled = true;
      wake();
    },
    get pulled() {
      return pulled;
    },
    get cancelled() {
      return cancelled;
    },
  };
}
