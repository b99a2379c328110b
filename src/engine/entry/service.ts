import { MAX_ERROR_STACK } from '../../../sandbox/wire/limits.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import type { Peer } from '../../../sandbox/wire/peer.js';
import type { IncomingRequest, Service } from '../../../sandbox/wire/service.js';
import type { Attribution } from '../../brokers/attribution.js';
import type { FilesystemBroker } from '../../brokers/filesystem/broker.js';
import type { NetworkBroker } from '../../brokers/network/broker.js';
import type { HoldRequest } from '../../brokers/network/leaving.js';
import type { PowerBroker } from '../../brokers/powers/broker.js';
import type { StorageBroker } from '../../brokers/storage/broker.js';
import { BulkheadError } from '../../errors.js';
import type { EventBus } from '../../events.js';
import { permissionNames } from '../../permissions/table.js';
import { makeLogGate } from '../log-gate.js';
import type { Outputs } from '../call/outputs.js';

export interface Brokers {
  readonly network: NetworkBroker | undefined;
  readonly filesystem: FilesystemBroker | undefined;
  readonly storage: StorageBroker | undefined;
  readonly powers: PowerBroker | undefined;
}

export interface ServiceSpec {
  readonly plugin: string;
  readonly brokers: Brokers;
  readonly events: EventBus;
  readonly maxLogLinesPerSecond: number;
  readonly now: () => number;
  /** Turns a stack from the guest into the plugin's own source lines. */
  readonly mapStack: (stack: string) => string;
  /** Tells what a hook that runs broadcasts; both are the guest's word. */
  readonly broadcast: (run: unknown, detail: unknown) => void;
  /** The guest says that what its entry offers has changed. Default: that is of no interest. */
  readonly onOffers?: () => void;
  readonly outputs: Outputs;
  /** What holds requests of the guest at that end that change something. */
  readonly holdFor: (peer: Peer) => HoldRequest | undefined;
  /** Throws for what is not to be done at all now, whatever is granted. */
  readonly check?: (method: string, params: unknown) => void;
  /** Whose doing is what the guest at that end does now. */
  readonly behalfOf: (peer: Peer) => Attribution;
}

/**
 * Answers what a guest asks of its host. Each request goes to the broker that holds the power, which
 * parses it; what was not granted has no broker. Notices become events.
 */
export function makeService(spec: ServiceSpec): (peer: Peer) => Service {
  const { plugin, brokers, events } = spec;
  const gate = makeLogGate(spec);

  const notice = (peer: Peer, method: string, params: unknown): void => {
    if (!isRecord(params)) return;
    if (method === 'offers') spec.onOffers?.();
    else if (method === 'output') spec.outputs.hear(params['call'], params['text']);
    else if (method === 'log') gate.line(params['level'], () => params['text']);
    else if (method === 'fault') {
      gate.line('error', () => faultText(params['failure'], spec.mapStack));
    } else if (method === 'denied') {
      const permission = permissionNames.find((name) => name === params['permission']);
      const wanted = params['wanted'];
      if (permission === undefined || typeof wanted !== 'string' || !gate.admit()) return;
      const at = lineOf(params['stack'], spec.mapStack);
      events.emit({
        type: 'capability-denied',
        plugin,
        permission,
        wanted: wanted.slice(0, 200),
        ...spec.behalfOf(peer),
        ...(at === undefined ? {} : { at }),
      });
    } else if (method === 'broadcast' && gate.admit()) {
      spec.broadcast(params['run'], params['detail']);
    }
  };

  return (peer) => ({
    notice: (method, params) => notice(peer, method, params),
    request: (method, params, request) => {
      spec.check?.(method, params);
      if (method === 'fetch' && brokers.network !== undefined) {
        const by = { behalf: spec.behalfOf(peer), hold: spec.holdFor(peer) };
        return fetchThrough(brokers.network, peer, params, request, by);
      }
      if (method === 'readFile' && brokers.filesystem !== undefined) {
        return readThrough(brokers.filesystem, peer, params, request, spec.behalfOf(peer));
      }
      if (method === 'lookFile' && brokers.filesystem !== undefined) {
        return brokers.filesystem.look(params, abortSignalOf(request), spec.behalfOf(peer));
      }
      if (method === 'storage' && brokers.storage !== undefined) {
        return storeThrough(brokers.storage, peer, params, request, spec.behalfOf(peer));
      }
      if (method === 'power' && brokers.powers !== undefined) {
        return brokers.powers.use(params, abortSignalOf(request), spec.behalfOf(peer));
      }
      throw new BulkheadError(
        'PERMISSION_REVOKED',
        `${plugin} has no permission for ${method.slice(0, 40)}.`,
        { permission: method.slice(0, 40) },
      );
    },
  });
}

async function fetchThrough(
  broker: NetworkBroker,
  peer: Peer,
  params: unknown,
  request: IncomingRequest,
  { behalf, hold }: { readonly behalf: Attribution; readonly hold: HoldRequest | undefined },
): Promise<unknown> {
  const streamId = isRecord(params) ? params['body'] : undefined;
  const sent = typeof streamId === 'number' ? peer.acceptStream(streamId) : undefined;
  const signal = abortSignalOf(request);
  const { body, ...reply } = await broker.fetch(params, sent, signal, behalf, hold);
  return body === undefined ? reply : { ...reply, body: peer.openStream(body) };
}

async function readThrough(
  broker: FilesystemBroker,
  peer: Peer,
  params: unknown,
  request: IncomingRequest,
  behalf: Attribution,
): Promise<unknown> {
  const { body } = await broker.readFile(params, abortSignalOf(request), behalf);
  return { body: peer.openStream(body) };
}

async function storeThrough(
  broker: StorageBroker,
  peer: Peer,
  params: unknown,
  request: IncomingRequest,
  behalf: Attribution,
): Promise<unknown> {
  const streamId = isRecord(params) ? params['body'] : undefined;
  const sent = typeof streamId === 'number' ? peer.acceptStream(streamId) : undefined;
  const answer = await broker.run(params, sent, abortSignalOf(request), behalf);
  if ('value' in answer) return answer.value;
  if ('copy' in answer) {
    const { content, ...copy } = answer.copy;
    return content === undefined ? copy : { ...copy, body: peer.openStream(content) };
  }
  return { body: peer.openStream(answer.content), bytes: answer.bytes };
}

function abortSignalOf(request: IncomingRequest): AbortSignal {
  const controller = new AbortController();
  request.onCancel((why) => controller.abort(new BulkheadError('CANCELLED', why, {})));
  return controller.signal;
}

function faultText(failure: unknown, mapStack: (stack: string) => string): string {
  if (!isRecord(failure)) return 'an error that nobody caught';
  const [name, message, stack] = [failure['name'], failure['message'], failure['stack']].map(
    (text) => (typeof text === 'string' ? text.slice(0, MAX_ERROR_STACK) : undefined),
  );
  const text = `${name ?? 'Error'}: ${message ?? ''} (nobody caught it)`;
  return stack === undefined ? text : `${text}\n${mapStack(stack)}`;
}

/** The plugin's own line at the top of a stack, `src/index.ts:14:21`. */
function lineOf(stack: unknown, mapStack: (stack: string) => string): string | undefined {
  if (typeof stack !== 'string') return undefined;
  const mapped = mapStack(stack.slice(0, MAX_ERROR_STACK));
  return /(?:\(|at |^ {0,8})(?<place>[^\s():]{1,200}:\d{1,7}:\d{1,7})/m.exec(mapped)?.groups?.[
    'place'
  ];
}
