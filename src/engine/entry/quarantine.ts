import { BulkheadError } from '../../errors.js';
import type { EventBus, GuestEndCause } from '../../events.js';
import type { PluginAlert } from '../../plugin/tool.js';

export interface QuarantineSpec {
  readonly plugin: string;
  /** So many crashes within the window, and the plugin is not started for a while. */
  readonly maxCrashes: number;
  readonly crashWindowMs: number;
  readonly quarantineMs: number;
  readonly events: EventBus;
  readonly now: () => number;
}

/** Keeps a plugin that crashes again and again from being started again and again. */
export interface Quarantine {
  /** Told how each guest of the plugin ended. */
  ended(cause: GuestEndCause): void;
  /** Throws `QUARANTINED` while the plugin must not be started. */
  admit(): void;
  /** What the operator is told while it lasts. */
  alert(): PluginAlert | undefined;
}

/** Ends that are the plugin's own doing. A deadline or a caller that gave up is none. */
const CRASHES: ReadonlySet<GuestEndCause> = new Set(['crash', 'memory', 'cpu', 'protocol']);

export function makeQuarantine(spec: QuarantineSpec): Quarantine {
  const { plugin, maxCrashes, crashWindowMs, quarantineMs, events, now } = spec;
  let crashes: number[] = [];
  let until = -Infinity;

  const leftMs = (): number => Math.max(0, Math.ceil(until - now()));
  const tell = (): PluginAlert => ({
    level: 'warning',
    message: `${plugin} crashed ${maxCrashes} times within ${crashWindowMs} ms and is not started for ${leftMs()} ms. Correct it and reload, or wait.`,
  });

  return {
    ended: (cause) => {
      if (!CRASHES.has(cause)) return;
      const at = now();
      crashes = [...crashes.filter((crash) => at - crash < crashWindowMs), at];
      if (crashes.length < maxCrashes) return;
      crashes = [];
      until = at + quarantineMs;
      events.emit({ type: 'alert', plugin, ...tell() });
    },
    admit: () => {
      const retryAfterMs = leftMs();
      if (retryAfterMs === 0) return;
      throw new BulkheadError('QUARANTINED', tell().message, { plugin, retryAfterMs });
    },
    alert: () => (leftMs() === 0 ? undefined : tell()),
  };
}
