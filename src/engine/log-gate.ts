import type { EventBus } from '../events.js';

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

/**
 * Lets a plugin's log lines through: so many in a second, the rest counted and told in one line,
 * each cut, and with control characters escaped so that no line can pass for another or move a
 * terminal's cursor.
 */
export function makeLogGate(spec: LogGateSpec): (level: unknown, text: () => unknown) => void {
  let windowStart = 0;
  let lines = 0;
  let dropped = 0;

  const emit = (level: (typeof LEVELS)[number], text: string): void =>
    spec.events.emit({ type: 'log', plugin: spec.plugin, level, text });

  return (level, text) => {
    const now = spec.now();
    if (now - windowStart >= 1000) {
      if (dropped > 0) emit('warn', `${dropped} further lines in one second were dropped`);
      windowStart = now;
      lines = 0;
      dropped = 0;
    }
    lines += 1;
    if (lines > spec.maxLogLinesPerSecond) {
      dropped += 1;
      return;
    }
    // What a line says is made out only once it is let through.
    const said = text();
    if (typeof said !== 'string') return;
    emit(
      LEVELS.find((known) => known === level) ?? 'info',
      escapeControls(said.slice(0, MAX_TEXT)),
    );
  };
}

// Besides C0 and C1: line and paragraph separators, and what reverses the direction of text.
const CONTROLS =
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f]/g;

/** Shows every character that a terminal or a log reader would act on instead of showing. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\r') return '\\r';
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
