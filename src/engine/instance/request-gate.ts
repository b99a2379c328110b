import { isRecord } from '../../../sandbox/wire/json.js';
import type { Peer } from '../../../sandbox/wire/peer.js';
import { type IncomingRequest, RawJson } from '../../../sandbox/wire/service.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { FilesystemBroker } from '../../brokers/filesystem/broker.js';
import type { NetworkBroker } from '../../brokers/network/broker.js';
import type { RequestGate as OutboundGate } from '../../brokers/network/outbound-request.js';
import type { PowerBroker } from '../../brokers/powers/broker.js';
import type { Attribution } from '../../brokers/record.js';
import type { StorageBroker } from '../../brokers/storage/broker.js';
import type { FileMaker } from '../../brokers/written-files.js';
import { BulkheadError } from '../../errors.js';
import type { CallTracker } from './in-flight.js';
import { whileOpen } from './open-requests.js';
import type { ByteStreams, GuestRequest, RequestMode } from './request-mode.js';

/** The brokers of the current grant. */
export interface Brokers {
  readonly network: NetworkBroker | undefined;
  readonly filesystem: FilesystemBroker | undefined;
  readonly storage: StorageBroker | undefined;
  readonly powers: PowerBroker | undefined;
}

export interface RequestGateSpec {
  readonly plugin: string;
  readonly brokers: Brokers;
  readonly mode: RequestMode;
  /** Rejects a read of a plugin without the fs permission. Default: as for other methods. */
  readonly explainFile?: (params: unknown) => Promise<never>;
  /** The calls that a guest's request may belong to. */
  readonly attributionOf: (peer: Peer) => Attribution;
  /** The calls to which files belong that a guest writes now. Default: they belong to none. */
  readonly makerOf?: (peer: Peer) => FileMaker | undefined;
  /** Ends requests that were made through the context of a given-up call. */
  readonly attribute: CallTracker['attribute'];
}

/** Decides and dispatches one request of a guest. A throw or a rejection is the guest's answer. */
export type RequestGate = (request: GuestRequest) => unknown;

/**
 * The only place that decides a guest's request for its host's network, files, storage or powers.
 * The mode decides first. Then a broker must exist, which checks the grant and the params.
 */
export function makeRequestGate(spec: RequestGateSpec): RequestGate {
  const { plugin, brokers, mode, attributionOf, attribute, makerOf = () => undefined } = spec;
  return (asked) => whileOpen(asked, decide(asked));

  function decide(asked: GuestRequest): unknown {
    mode.check?.(asked);
    if (mode.answer !== undefined) return mode.answer(asked);
    const { peer, streams = peer, method, params, request } = asked;
    if (method === 'fetch' && brokers.network !== undefined) {
      const by = { behalf: attributionOf(peer), hold: mode.outbound?.(peer) };
      const { network } = brokers;
      return withOwnSignal(asked, attribute, (signal) =>
        fetchThrough(network, streams, params, signal, by).catch((error: unknown) => {
          if (mode.isStandIn?.(error) !== true) throw error;
          return standIn(params);
        }),
      );
    }
    if (method === 'readFile' && brokers.filesystem !== undefined) {
      return readThrough(brokers.filesystem, streams, params, request, attributionOf(peer));
    }
    if (method === 'statFile' && brokers.filesystem !== undefined) {
      return brokers.filesystem.inspect(params, abortSignalOf(request), attributionOf(peer));
    }
    if (method === 'changeFile' && brokers.filesystem !== undefined) {
      const { filesystem } = brokers;
      const sent = bodyOf(params, streams);
      const signal = abortSignalOf(request);
      const behalf = attributionOf(peer);
      const maker = makerOf(peer);
      return afterRecord(mode.beforeEffect?.(asked), () =>
        filesystem.change(params, sent, signal, behalf, maker),
      );
    }
    if ((method === 'readFile' || method === 'statFile') && spec.explainFile !== undefined) {
      return spec.explainFile(params);
    }
    if (method === 'storage' && brokers.storage !== undefined) {
      const by = { behalf: attributionOf(peer), maker: makerOf(peer) };
      return storeThrough(brokers.storage, streams, params, request, by);
    }
    if (method === 'power' && brokers.powers !== undefined) {
      const { powers } = brokers;
      return afterRecord(mode.beforeEffect?.(asked), () =>
        powerThrough(powers, streams, params, request, attributionOf(peer)),
      );
    }
    throw new BulkheadError(
      'PERMISSION_REVOKED',
      `${plugin} has no permission for ${method.slice(0, 40)}.`,
      { permission: method.slice(0, 40) },
    );
  }
}

/** Runs an effect after the audit log has taken its record. */
function afterRecord(recorded: Promise<void> | undefined, run: () => unknown): unknown {
  return recorded === undefined ? run() : recorded.then(run);
}

/** The stream that the params announce. */
function bodyOf(params: unknown, streams: ByteStreams): ByteSource | undefined {
  const streamId = isRecord(params) ? params['body'] : undefined;
  return typeof streamId === 'number' ? streams.acceptStream(streamId) : undefined;
}

async function fetchThrough(
  broker: NetworkBroker,
  streams: ByteStreams,
  params: unknown,
  signal: AbortSignal,
  { behalf, hold }: { readonly behalf: Attribution; readonly hold: OutboundGate | undefined },
): Promise<object> {
  const sent = bodyOf(params, streams);
  const { body, ...reply } = await broker.fetch(params, sent, signal, behalf, hold);
  return body === undefined ? reply : { ...reply, body: streams.openStream(body) };
}

/** The answer to a request that was not sent. Its body is empty. */
function standIn(params: unknown): object {
  const url = isRecord(params) && typeof params['url'] === 'string' ? params['url'] : '';
  const headers = [
    ['content-type', 'application/json'],
    ['x-bulkhead-dry-run', 'not sent'],
  ];
  return { url, status: 202, statusText: 'Accepted', redirected: false, headers };
}

async function readThrough(
  broker: FilesystemBroker,
  streams: ByteStreams,
  params: unknown,
  request: IncomingRequest,
  behalf: Attribution,
): Promise<unknown> {
  const { body } = await broker.readFile(params, abortSignalOf(request), behalf);
  return { body: streams.openStream(body) };
}

async function storeThrough(
  broker: StorageBroker,
  streams: ByteStreams,
  params: unknown,
  request: IncomingRequest,
  { behalf, maker }: { readonly behalf: Attribution; readonly maker: FileMaker | undefined },
): Promise<unknown> {
  const sent = bodyOf(params, streams);
  const answer = await broker.run(params, sent, abortSignalOf(request), behalf, maker);
  if ('value' in answer) return answer.value;
  if ('copy' in answer) {
    const { content, ...copy } = answer.copy;
    return content === undefined ? copy : { ...copy, body: streams.openStream(content) };
  }
  return { body: streams.openStream(answer.content), bytes: answer.bytes };
}

async function powerThrough(
  broker: PowerBroker,
  streams: ByteStreams,
  params: unknown,
  request: IncomingRequest,
  behalf: Attribution,
): Promise<unknown> {
  const sent = isRecord(params) && isRecord(params['bytes']) ? params['bytes'] : {};
  const streamId = sent['stream'];
  const body = typeof streamId === 'number' ? streams.acceptStream(streamId) : undefined;
  const { text, bytes } = await broker.use(params, abortSignalOf(request), behalf, body);
  if (bytes === undefined) return new RawJson(`{"value":${text}}`);
  const { parts, content } = bytes;
  const place = JSON.stringify({ stream: streams.openStream(content), parts });
  return new RawJson(`{"value":${text},"bytes":${place}}`);
}

function abortSignalOf(request: IncomingRequest): AbortSignal {
  return abortControllerOf(request).signal;
}

function abortControllerOf(request: IncomingRequest): AbortController {
  const controller = new AbortController();
  request.onCancel((why) => controller.abort(new BulkheadError('CANCELLED', why, {})));
  return controller;
}

/**
 * Runs a request with its signal. If it was made through the context of a call, which `params.call`
 * names, the signal aborts when that call is given up. The name is the guest's word: it can only end
 * the guest's own request.
 */
async function withOwnSignal(
  { peer, params, request }: GuestRequest,
  attribute: CallTracker['attribute'],
  run: (signal: AbortSignal) => Promise<object>,
): Promise<object> {
  const controller = abortControllerOf(request);
  const call = isRecord(params) ? params['call'] : undefined;
  if (typeof call !== 'number') return run(controller.signal);
  // guard: given-up-call-requests-end
  const leave = attribute(peer, call, (why) =>
    controller.abort(new BulkheadError('CANCELLED', why, {})),
  );
  let isOpen = false;
  try {
    const reply = await run(controller.signal);
    // The body of the response is still to be read.
    isOpen = 'body' in reply;
    return reply;
  } finally {
    if (!isOpen) leave();
  }
}
