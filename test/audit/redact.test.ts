import { describe, expect, it } from 'vitest';
import { noteEvent } from '../../src/audit/note.js';
import { AUDIT_LIMITS } from '../../src/audit/limits.js';
import { DEFAULT_REDACT } from '../../src/audit/redact.js';
import type { BulkheadEvent } from '../../src/events.js';

function started(input: unknown): BulkheadEvent {
  return {
    atMs: 1,
    type: 'call-started',
    call: 'c',
    plugin: 'p',
    tool: 't',
    bundle: 'b',
    risk: 'low',
    input: JSON.stringify(input),
  };
}

const redact = DEFAULT_REDACT;

describe('what is kept of an input', () => {
  it('is nothing where the operator wants none', () => {
    expect(noteEvent(started({ a: 1 }), { inputs: 'none', redact })).not.toHaveProperty(
      'inputDigest',
    );
  });

  it('is by default a digest that equal inputs share, however they were written', () => {
    const digest = (input: unknown): unknown =>
      noteEvent(started(input), { inputs: 'digest', redact });
    expect(digest({ a: 1, b: 2 })).toEqual(digest({ b: 2, a: 1 }));
    expect(digest({ a: 1 })).not.toEqual(digest({ a: 2 }));
    expect(JSON.stringify(digest({ city: 'Oslo' }))).not.toContain('Oslo');
  });

  it('is in full all but what is named on the list, at any depth', () => {
    const entry = noteEvent(
      started({ city: 'Oslo', login: [{ 'API-Key': 'k1', userPassword: { deep: 'p1' } }] }),
      { inputs: 'full', redact },
    );
    expect(entry).toMatchObject({
      input: '{"city":"Oslo","login":[{"API-Key":"[redacted]","userPassword":"[redacted]"}]}',
    });
  });

  it('is cut where it is long', () => {
    const entry = noteEvent(started('x'.repeat(100_000)), { inputs: 'full', redact });
    expect(JSON.stringify(entry).length).toBeLessThan(AUDIT_LIMITS.maxInputCharacters + 500);
  });
});

describe('what is kept of other events', () => {
  it('is of a long text its beginning', () => {
    const entry = noteEvent(
      { atMs: 1, type: 'alert', plugin: 'p', level: 'info', message: 'x'.repeat(50_000) },
      { inputs: 'none', redact },
    );
    expect(JSON.stringify(entry).length).toBeLessThan(AUDIT_LIMITS.maxTextCharacters + 100);
  });

  it('is nothing of what a plugin logs', () => {
    const event: BulkheadEvent = { atMs: 1, type: 'log', plugin: 'p', level: 'info', text: 'hi' };
    expect(noteEvent(event, { inputs: 'full', redact })).toBeUndefined();
  });

  it('is of a stack the line alone: what was thrown may say anything', () => {
    const entry = noteEvent(
      {
        atMs: 1,
        type: 'call-ended',
        call: 'c',
        plugin: 'p',
        tool: 't',
        outcome: 'error',
        stack: 'Error: the password is hunter2\n    at run (src/index.ts:3:9)\n    at src/b.ts:1:1',
        durationMs: 1,
      },
      { inputs: 'full', redact },
    );
    expect(entry).toMatchObject({ at: 'src/index.ts:3:9' });
    expect(JSON.stringify(entry)).not.toContain('hunter2');
  });

  it('has no member that is not named for it', () => {
    const event: BulkheadEvent = Object.assign(started({}), { more: 'than wanted' });
    expect(noteEvent(event, { inputs: 'none', redact })).not.toHaveProperty('more');
  });
});
