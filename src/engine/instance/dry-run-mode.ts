import { isRecord } from '../../../sandbox/wire/json.js';
import { changesState, type OutboundRequest } from '../../brokers/network/outbound-request.js';
import { BulkheadError } from '../../errors.js';
import type { StoppedEffect } from '../types/result.js';
import type { RequestModeFactory } from './request-mode.js';
import { heldOf } from './request-modes.js';

/** Stops and lists the changes of one dry run. */
export interface DryRun {
  readonly stopped: readonly StoppedEffect[];
  readonly mode: DryRunMode;
}

/** `isCopied`: whether a path that the plugin wrote lies in a copy of a mount. */
export type DryRunMode = (isCopied: (path: string) => boolean) => RequestModeFactory;

/** Listed effects. Further effects are stopped but not listed. */
const MAX_LISTED = 1_000;

/**
 * Requests that write are listed, and the tool gets an empty answer with status 202. Changes of the plugin's
 * storage and of mounted files are listed and happen in the copies of the run. Changes in a mount that was
 * not copied, and powers above low risk, are listed and refused.
 *
 * @param clears whether a rule says that a GET to this host changes nothing. Other reads are refused.
 */
export function makeDryRun(clears: (host: string) => boolean): DryRun {
  const stopped: StoppedEffect[] = [];
  const standIns = new WeakSet<object>();
  const list = (effect: StoppedEffect): void => {
    if (stopped.length < MAX_LISTED) stopped.push(effect);
  };
  const stop = (plugin: string, effect: StoppedEffect, wanted: string, why = ''): BulkheadError => {
    list(effect);
    return new BulkheadError(
      'EFFECT_DENIED',
      `This is a dry run: ${wanted} was not done, and is listed.${why}`,
      { plugin, wanted },
    );
  };
  const modeOf: DryRunMode =
    (isCopied) =>
    ({ plugin, riskOfPower }) => ({
      name: 'dry-run',
      outbound: () => {
        const hold = async (leaving: OutboundRequest): Promise<void> => {
          const { method, url } = leaving;
          const reads = !changesState(leaving);
          // guard: dry-run-reads-cleared-hosts
          if (reads && clears(url.hostname)) return;
          const effect = {
            permission: 'network',
            ...(reads ? { reads } : {}),
            ...heldOf(leaving),
          } as const;
          const wanted = `${method} ${url.origin}`;
          const refused = stop(plugin, effect, wanted, reads ? hintFor(url.hostname) : '');
          if (!reads) standIns.add(refused);
          throw refused;
        };
        return Object.assign(hold, { holdsReads: true as const });
      },
      isStandIn: (error) => typeof error === 'object' && error !== null && standIns.has(error),
      check: ({ method, params }) => {
        if (!isRecord(params)) return;
        if (method === 'storage' && !READS.has(String(params['op']))) {
          list({
            permission: 'storage',
            operation: textOf(params['op']),
            path: textOf(params['path']),
          });
        }
        if (method === 'changeFile') {
          const operation = textOf(params['op']);
          const path = textOf(params['path']);
          const effect = { permission: 'fs', operation, path } as const;
          const places = operation === 'move' ? [path, textOf(params['to'])] : [path];
          if (!places.every(isCopied)) throw stop(plugin, effect, `${operation} of ${path}`);
          list(effect);
        }
        if (method === 'power') {
          const power = textOf(params['name']);
          if (riskOfPower(power) !== 'low')
            throw stop(plugin, { permission: 'powers', power }, power);
        }
      },
    });
  return { stopped, mode: modeOf };
}

function hintFor(host: string): string {
  return ` If a GET changes nothing there, clear it: bulkhead rules add allow "*" --bundle "*" --effect "GET ${host}"`;
}

/** Storage operations that do not change the plugin's storage. */
const READS: ReadonlySet<string> = new Set(
  'read list stat usage copy db-state db-read db-reserve db-release'.split(' '),
);

/** Text from a guest, cut to the length of a path. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 4096) : '';
}
