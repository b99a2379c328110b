import type { ByteSource } from '../../sandbox/wire/streams.js';
import { makeNetworkBroker } from '../brokers/network/broker.js';
import type { NetworkOptions } from '../engine/types/options.js';

/** The real network, for recording. */
export interface LiveNetwork {
  /** Sends a request, and reads its answer. Refuses private addresses, as for every plugin. */
  send(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** Headers of the connection, which each sender sets itself. */
const OF_CONNECTION = /^(?:host|connection|content-length|transfer-encoding|accept-encoding|te)$/;

/** `options`: hosts that are served at another address, as for an engine. */
export function openLiveNetwork({ overrides, ca, proxy }: NetworkOptions): LiveNetwork {
  // The plugin's own broker has checked its grant. This one checks the addresses.
  const broker = makeNetworkBroker({
    plugin: { id: 'the plugin under test', manifest: 'its manifest' },
    granted: [],
    allows: () => true,
    ...(overrides === undefined ? {} : { overrides }),
    ...(ca === undefined ? {} : { ca }),
    ...(proxy === undefined ? {} : { proxy }),
  });
  return {
    send: async (request) => {
      const { url, method, signal } = request;
      const headers = [...request.headers].filter(([name]) => !OF_CONNECTION.test(name));
      const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
      const reply = await broker.fetch(
        {
          url,
          method,
          headers,
          redirect: 'manual',
          ...(body === undefined ? {} : { body: 0, bodyBytes: body.length }),
        },
        body === undefined ? undefined : sourceOf(body),
        signal,
      );
      const { status, statusText } = reply;
      const content = reply.body === undefined ? null : new Uint8Array(await readAll(reply.body));
      return new Response(content, {
        status,
        statusText,
        headers: reply.headers.map(([name, value]): [string, string] => [name, value]),
      });
    },
    close: () => broker.close(),
  };
}

function sourceOf(content: Uint8Array): ByteSource {
  let left: Uint8Array | undefined = content.length === 0 ? undefined : content;
  return {
    pull: async () => {
      const part = left;
      left = undefined;
      return part;
    },
    cancel: () => {
      left = undefined;
    },
  };
}

async function readAll(source: ByteSource): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const part = await source.pull();
    if (part === undefined) return Buffer.concat(parts);
    parts.push(part);
  }
}
