import { isRecord } from '../../../sandbox/wire/parse.js';
import type { HoldRequest } from '../../brokers/network/leaving.js';
import { BulkheadError } from '../../errors.js';
import type { RiskBand } from '../../plugin/risk.js';
import { heldOf } from './effects.js';
import type { StoppedEffect } from './stopped.js';

/** Stops and lists what changes something, in a guest of its own. */
export interface Rehearsal {
  readonly stopped: StoppedEffect[];
  readonly hold: HoldRequest;
  /** Throws where what a guest asks of its host would change something. */
  check(method: string, params: unknown): void;
}

/** Effects that are listed; a tool in a loop is stopped in each, and not remembered for ever. */
const MAX_LISTED = 1_000;

export function makeRehearsal(
  plugin: string,
  riskOfPower: (name: string) => RiskBand | undefined,
): Rehearsal {
  const stopped: StoppedEffect[] = [];
  const stop = (effect: StoppedEffect, wanted: string): BulkheadError => {
    if (stopped.length < MAX_LISTED) stopped.push(effect);
    return new BulkheadError(
      'EFFECT_DENIED',
      `This is a rehearsal: ${wanted} was not done, and is listed.`,
      { plugin, wanted },
    );
  };
  return {
    stopped,
    hold: (leaving) => {
      const wanted = `${leaving.method} ${leaving.url.origin}`;
      return Promise.reject(stop({ permission: 'network', ...heldOf(leaving) }, wanted));
    },
    check: (method, params) => {
      if (!isRecord(params)) return;
      if (method === 'storage' && !READS.has(String(params['op']))) {
        const operation = textOf(params['op']);
        const path = textOf(params['path']);
        throw stop({ permission: 'storage', operation, path }, `${operation} of ${path}`);
      }
      if (method === 'power') {
        const power = textOf(params['name']);
        if (riskOfPower(power) !== 'low') throw stop({ permission: 'powers', power }, power);
      }
    },
  };
}

/** Operations in a plugin's storage that change nothing. */
const READS: ReadonlySet<string> = new Set(['read', 'list', 'stat', 'usage', 'copy']);

/** What a guest wrote, no longer than a path. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 4096) : '';
}
