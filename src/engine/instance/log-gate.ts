import type { EventBus } from '../../events.js';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Characters of one line that reach the host's log. */
const MAX_TEXT = 16 * 1024;

export interface LogGateSpec {
  readonly plugin: string;
  readonly events: EventBus;
  /** Stops a plugin that logs in a loop from filling the host's disk. */
  readonly maxLogLinesPerSecond: number;
  readonly now: () => number;
}

export interface LogGate {
  /** Logs one line if the rate allows it. `text` is called only then. */
  line(level: unknown, text: () => unknown): void;
  /** Counts one line that is reported in another way. Returns `false` if the rate is exceeded. */
  admit(): boolean;
}

/**
 * Passes a plugin's log lines to the host's log, up to a rate. It counts further lines and
 * summarizes them in one line. It truncates each line and escapes control characters, so that a
 * line cannot imitate another or move a terminal's cursor.
 */
export function makeLogGate(spec: LogGateSpec): LogGate {
  let windowStart = 0;
  let lines = 0;
  let dropped = 0;

  const emit = (level: (typeof LEVELS)[number], text: string): void =>
    spec.events.emit({ type: 'log', plugin: spec.plugin, level, text });

  const admit = (): boolean => {
    const now = spec.now();
    if (now - windowStart >= 1000) {
      if (dropped > 0) emit('warn', `${dropped} further lines in one second were dropped`);
      windowStart = now;
      lines = 0;
      dropped = 0;
    }
    lines += 1;
    // guard: log-line-rate-cap
    if (lines <= spec.maxLogLinesPerSecond) return true;
    dropped += 1;
    return false;
  };

  return {
    admit,
    line: (level, text) => {
      if (!admit()) return;
      const line = text();
      if (typeof line !== 'string') return;
      const known = LEVELS.find((one) => one === level) ?? 'info';
      emit(
        known,
        // guard: log-controls-escaped
        escapeControls(line.slice(0, MAX_TEXT)),
      );
    },
  };
}

// Control characters, line and paragraph separators, characters without a width or that reverse the
// text direction, and unpaired surrogates.
const UNSEEN = /[^\P{Cc}\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Escapes every character that a terminal or a log reader would interpret. */
export function escapeControls(text: string): string {
  return text.replace(UNSEEN, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\r') return '\\r';
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
  });
}
