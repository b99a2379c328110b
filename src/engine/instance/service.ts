import { packageOf } from '../../plugin/package-path.js';
import { OWN_UNIT } from '../../../sandbox/wire/units.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import { MAX_ERROR_STACK } from '../../../sandbox/wire/limits.js';
import type { Peer } from '../../../sandbox/wire/peer.js';
import type { Service } from '../../../sandbox/wire/service.js';
import { SQLITE_CODE } from '../../../sandbox/wire/sync.js';
import type { EventBus } from '../../events.js';
import { permissionNames } from '../../permissions/table.js';
import type { Outputs } from './in-flight.js';
import { makeLogGate } from './log-gate.js';
import { readSqlite } from '../node/sqlite-code.js';
import { answerNow } from './sync-request.js';
import { makeRequestGate, type RequestGateSpec } from './request-gate.js';
import { topLineOf } from './top-line.js';

export interface ServiceSpec {
  readonly gate: RequestGateSpec;
  /** The guest sent a request, output or a broadcast: its calls may have had effects. */
  readonly onAct: (peer: Peer) => void;
  readonly listeners: NoticeListeners;
  readonly events: EventBus;
  readonly maxLogLinesPerSecond: number;
  readonly now: () => number;
}

/** The listeners to a guest's notices. The contents of a notice are untrusted. */
export interface NoticeListeners {
  /** Maps a guest's stack to the plugin's own source lines. */
  readonly mapStack: (stack: string) => string;
  /** A running hook broadcasts. */
  readonly broadcast: (run: unknown, detail: unknown) => void;
  /** The contributions of the guest's entry have changed. Default: ignored. */
  readonly contributionsChanged?: () => void;
  /** A list or a resource of an MCP server has changed. Default: ignored. */
  readonly offersChanged?: (params: unknown) => void;
  /** An MCP server logs for the client of a call. Default: ignored. */
  readonly clientLog?: (peer: Peer, params: unknown) => void;
  readonly outputs: Outputs;
}

/** Serves a guest: the gate decides its requests, and its notices become events. */
export function makeService(spec: ServiceSpec): (peer: Peer) => Service {
  const { events, listeners } = spec;
  const { plugin, attributionOf } = spec.gate;
  const { mapStack } = listeners;
  const decide = makeRequestGate(spec.gate);
  const gate = makeLogGate({ ...spec, plugin });

  const notice = (peer: Peer, method: string, params: unknown): void => {
    if (!isRecord(params)) return;
    if (method === 'contributions-changed') listeners.contributionsChanged?.();
    else if (method === 'offers-changed' && gate.admit()) listeners.offersChanged?.(params);
    else if (method === 'client-log' && gate.admit()) listeners.clientLog?.(peer, params);
    else if (method === 'output') {
      spec.onAct(peer);
      listeners.outputs.hear(params['call'], params['text'], params['progress']);
    } else if (method === 'log') gate.line(params['level'], () => params['text']);
    else if (method === 'fault') {
      gate.line('error', () => faultText(params['failure'], mapStack));
    } else if (method === 'denied') {
      const permission = [...permissionNames, 'builtin' as const].find(
        (name) => name === params['permission'],
      );
      const wanted = params['wanted'];
      // guard: denial-rate-cap
      if (permission === undefined || typeof wanted !== 'string' || !gate.admit()) return;
      const at = topLineOf(params['stack'], mapStack);
      events.emit({
        type: 'capability-denied',
        plugin,
        permission,
        // guard: denial-text-cap
        wanted: wanted.slice(0, 200),
        ...attributionOf(peer),
        ...(at === undefined ? {} : { at }),
        ...packageNamed(params['package'], at),
      });
    } else if (method === 'broadcast' && gate.admit()) {
      spec.onAct(peer);
      listeners.broadcast(params['run'], params['detail']);
    }
  };

  return (peer) => ({
    notice: (method, params) => notice(peer, method, params),
    request: (method, params, request) => {
      // guard: acting-guest-noted
      spec.onAct(peer);
      return decide({ peer, method, params, request });
    },
    requestNow: (method, params, body) => {
      if (method === SQLITE_CODE) return Promise.resolve({ value: null, body: readSqlite() });
      spec.onAct(peer);
      return answerNow({
        decide: (streams, request) => decide({ peer, streams, method, params, request }),
        body,
        changes: changedBy(method, params),
      });
    },
  });
}

/** The npm package of a denial: the one that the guest names, or that of the place in the source. */
function packageNamed(path: unknown, at: string | undefined): { readonly package?: string } {
  const named = typeof path === 'string' ? path : packageOf(at ?? '');
  return named === undefined || named === OWN_UNIT ? {} : { package: named.slice(0, 200) };
}

/** The file that a synchronous request may change. */
function changedBy(method: string, params: unknown): string | undefined {
  const { op, path } = isRecord(params) ? params : {};
  if (method !== 'changeFile' && op !== 'db-commit' && op !== 'db-create') return undefined;
  return typeof path === 'string' ? JSON.stringify(path.slice(0, 200)) : 'a file';
}

function faultText(failure: unknown, mapStack: (stack: string) => string): string {
  if (!isRecord(failure)) return 'an uncaught error';
  const [name, message, stack] = [failure['name'], failure['message'], failure['stack']].map(
    (text) => (typeof text === 'string' ? text.slice(0, MAX_ERROR_STACK) : undefined),
  );
  const text = `${name ?? 'Error'}: ${message ?? ''} (not caught)`;
  return stack === undefined ? text : `${text}\n${mapStack(stack)}`;
}
