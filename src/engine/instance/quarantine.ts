import { BulkheadError } from '../../errors.js';
import type { EventBus, GuestEndCause } from '../../events.js';
import type { PluginAlert } from '../../plugin/tool.js';

export interface QuarantineSpec {
  readonly plugin: string;
  /** Crashes within `crashWindowMs` after which the plugin is quarantined. */
  readonly maxCrashes: number;
  readonly crashWindowMs: number;
  readonly quarantineMs: number;
  readonly events: EventBus;
  readonly now: () => number;
}

/** Stops the restart of a plugin that crashes repeatedly. */
export interface Quarantine {
  /** Reports how a guest of the plugin ended. */
  ended(cause: GuestEndCause): void;
  /** Throws `QUARANTINED` while the plugin must not start. */
  admit(): void;
  /** The operator's alert while the quarantine lasts. */
  alert(): PluginAlert | undefined;
}

/** Causes that count as the plugin's fault. A deadline or a cancelled call does not count. */
const CRASHES: ReadonlySet<GuestEndCause> = new Set(['crash', 'memory', 'cpu', 'protocol']);

export function isCrash(cause: GuestEndCause): boolean {
  return CRASHES.has(cause);
}

export function makeQuarantine(spec: QuarantineSpec): Quarantine {
  const { plugin, maxCrashes, crashWindowMs, quarantineMs, events, now } = spec;
  let crashes: number[] = [];
  let until = -Infinity;

  const leftMs = (): number => Math.max(0, Math.ceil(until - now()));
  const currentAlert = (): PluginAlert => ({
    level: 'warning',
    message: `${plugin} crashed ${maxCrashes} times within ${crashWindowMs} ms and is not started for ${leftMs()} ms. Correct it and reload, or wait.`,
  });

  return {
    ended: (cause) => {
      if (!isCrash(cause)) return;
      const at = now();
      crashes = [...crashes.filter((crash) => at - crash < crashWindowMs), at];
      if (crashes.length < maxCrashes) return;
      crashes = [];
      until = at + quarantineMs;
      events.emit({ type: 'alert', plugin, ...currentAlert() });
    },
    admit: () => {
      const retryAfterMs = leftMs();
      // guard: crashing-plugin-quarantined
      if (retryAfterMs === 0) return;
      throw new BulkheadError('QUARANTINED', currentAlert().message, { plugin, retryAfterMs });
    },
    alert: () => (leftMs() === 0 ? undefined : currentAlert()),
  };
}
