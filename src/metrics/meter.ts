import type { BulkheadEvent, EventListener } from '../events.js';
import { makeMeters, type Meters } from './meters.js';

/** Counts what an engine tells of itself: `engine.on(meter.listener)`. */
export interface Meter {
  readonly listener: EventListener;
  /** All metrics in Prometheus' text format, version 0.0.4. */
  text(): string;
  /** What to send it as. */
  readonly contentType: string;
}

export interface MeterOptions {
  /**
   * Series that one metric may have, at least 1: plugins, tools and hooks beyond that many together
   * count as `_other`. Default: 1,000.
   */
  readonly maxSeries?: number;
}

/** Makes a meter. No label ever holds an input, a result, an address or a path. */
export function makeMeter(options: MeterOptions = {}): Meter {
  const meters = makeMeters(Math.max(1, options.maxSeries ?? MAX_SERIES));
  const asked = new Map<string, number>();
  return {
    listener: (event) => count(event, meters, asked),
    text: () =>
      Object.values(meters)
        .flatMap(({ name, help, type, lines }) => [
          `# HELP ${name} ${help}`,
          `# TYPE ${name} ${type}`,
          ...lines(),
        ])
        .map((line) => `${line}\n`)
        .join(''),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  };
}

const MAX_SERIES = 1_000;

/** Ends of guests that a host wanted, or that cost nobody anything. */
const ORDINARY: ReadonlySet<string> = new Set(['closed', 'idle', 'replaced', 'revoked']);

const SECOND_MS = 1_000;

function count(event: BulkheadEvent, meters: Meters, asked: Map<string, number>): void {
  switch (event.type) {
    case 'call-ended': {
      const { plugin, tool, durationMs, code, outcome } = event;
      meters.calls.add([plugin, tool, code ?? outcome]);
      meters.callSeconds.observe([plugin, tool], durationMs / SECOND_MS);
      break;
    }
    case 'capability-used':
      meters.used.add([event.plugin, event.permission]);
      break;
    case 'capability-denied':
      meters.denied.add([event.plugin, event.permission]);
      break;
    case 'approval-asked':
      meters.prompts.add([event.plugin]);
      asked.set(event.approval, event.atMs);
      meters.approvalsPending.set(asked.size);
      break;
    case 'approval-given':
    case 'approval-refused': {
      // Without a question of its own it was answered by a rule, or by what was said earlier.
      const { approval = '' } = event;
      const sinceMs = asked.get(approval);
      asked.delete(approval);
      meters.approvalsPending.set(asked.size);
      const verdict = event.type === 'approval-given' ? 'given' : 'refused';
      if (sinceMs !== undefined) {
        meters.approvalWait.observe([verdict], (event.atMs - sinceMs) / SECOND_MS);
      }
      break;
    }
    case 'hook-ended':
      meters.hookSeconds.observe([event.hook, event.plugin], event.durationMs / SECOND_MS);
      break;
    case 'guest-started':
      meters.guests.add(1);
      break;
    case 'guest-ended':
      meters.guests.add(-1);
      if (!ORDINARY.has(event.cause)) meters.restarts.add([event.plugin, event.cause]);
      break;
    case 'pool-changed':
      meters.poolWarm.set(event.blank);
      break;
    case 'queue-changed':
      meters.queued.set(event.calls);
      break;
    default:
  }
}
