import { describe, expect, it } from 'vitest';
import {
  escapeControls,
  type LogGate,
  makeLogGate,
} from '../../../src/engine/instance/log-gate.js';
import { type BulkheadEvent, makeEventBus } from '../../../src/events.js';

function makeGate(): LogGate & {
  readonly log: LogGate['line'];
  readonly lines: string[];
  readonly clock: { now: number };
} {
  const clock = { now: 0 };
  const events = makeEventBus(() => clock.now);
  const lines: string[] = [];
  events.on((event: BulkheadEvent) => {
    if (event.type === 'log') lines.push(`${event.level}: ${event.text}`);
  });
  const gate = makeLogGate({ plugin: 'p', events, maxLogLinesPerSecond: 3, now: () => clock.now });
  return { ...gate, log: gate.line, lines, clock };
}

describe('escapeControls', () => {
  it('no control character reaches a terminal', () => {
    expect(escapeControls('\u001b[2Jgone\r\n{"level":50}\u0007\u202e')).toBe(
      '\\u001b[2Jgone\\r\\n{"level":50}\\u0007\\u202e',
    );
  });

  it('no invisible character hides among visible ones', () => {
    expect(escapeControls('a\u200bb\u061cc\u009bd\ud800e\u{e0041}f\u2028')).toBe(
      'a\\u200bb\\u061cc\\u009bd\\ud800e\\u{e0041}f\\u2028',
    );
  });

  it('ordinary text of any language is unchanged', () => {
    expect(escapeControls('Grüße, 東京\tعربي 👋')).toBe('Grüße, 東京\tعربي 👋');
  });
});

describe('the gate', () => {
  it('a flood is cut and counted, and the count is reported after the second', () => {
    const { log, lines, clock } = makeGate();
    for (let n = 0; n < 1000; n += 1) log('info', () => `line ${n}`);
    expect(lines).toHaveLength(3);
    clock.now = 1000;
    log('info', () => 'later');
    expect(lines.slice(3)).toEqual([
      'warn: 997 further lines in one second were dropped',
      'info: later',
    ]);
  });

  it('what is not let through is not even asked for', () => {
    const { line, admit } = makeGate();
    let asked = 0;
    for (let n = 0; n < 10; n += 1) line('error', () => `${(asked += 1)}`);
    expect(asked).toBe(3);
    expect(admit()).toBe(false);
  });

  it('a message that is not text is dropped, and an unknown level is info', () => {
    const { log, lines } = makeGate();
    log('info', () => ({ toString: () => 'x' }));
    log('fatal', () => 'y');
    expect(lines).toEqual(['info: y']);
  });

  it('what a dropped line says is not made out', () => {
    const { log } = makeGate();
    let made = 0;
    for (let n = 0; n < 1000; n += 1) log('info', () => `line ${(made += 1)}`);
    expect(made).toBe(3);
  });

  it('a line has every control character escaped', () => {
    const { log, lines } = makeGate();
    log('warn', () => 'one\nerror: another\u001b[2J');
    expect(lines).toEqual(['warn: one\\nerror: another\\u001b[2J']);
  });

  it('a line is cut to its cap', () => {
    const { log, lines } = makeGate();
    log('error', () => 'x'.repeat(1_000_000));
    expect(lines[0]?.length).toBeLessThan(20_000);
  });
});
