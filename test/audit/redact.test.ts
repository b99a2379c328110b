import { describe, expect, it } from 'vitest';
import { DEFAULT_REDACT, noteEvent } from '../../src/audit/note.js';
import { AUDIT_LIMITS } from '../../src/audit/record.js';
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

describe('the recorded input', () => {
  it('is absent with the policy `none`', () => {
    expect(noteEvent(started({ a: 1 }), { inputs: 'none', redact })).not.toHaveProperty(
      'inputDigest',
    );
  });

  it('is the same digest for equal inputs with the policy `digest`', () => {
    const digest = (input: unknown): unknown =>
      noteEvent(started(input), { inputs: 'digest', redact });
    expect(digest({ a: 1, b: 2 })).toEqual(digest({ b: 2, a: 1 }));
    expect(digest({ a: 1 })).not.toEqual(digest({ a: 2 }));
    expect(JSON.stringify(digest({ city: 'Oslo' }))).not.toContain('Oslo');
  });

  it('is redacted at any depth with the policy `full`', () => {
    const entry = noteEvent(
      started({ city: 'Oslo', login: [{ 'API-Key': 'k1', userPassword: { deep: 'p1' } }] }),
      { inputs: 'full', redact },
    );
    expect(entry).toMatchObject({
      input: '{"city":"Oslo","login":[{"API-Key":"[redacted]","userPassword":"[redacted]"}]}',
    });
  });

  it('is truncated if it is long', () => {
    const entry = noteEvent(started('x'.repeat(100_000)), { inputs: 'full', redact });
    expect(JSON.stringify(entry).length).toBeLessThan(AUDIT_LIMITS.maxInputCharacters + 500);
  });
});

describe('the audit entry of another event', () => {
  it('has the start of a long text', () => {
    const entry = noteEvent(
      { atMs: 1, type: 'alert', plugin: 'p', level: 'info', message: 'x'.repeat(50_000) },
      { inputs: 'none', redact },
    );
    expect(JSON.stringify(entry).length).toBeLessThan(AUDIT_LIMITS.maxTextCharacters + 100);
  });

  it('does not exist for a line that a plugin logs', () => {
    const event: BulkheadEvent = { atMs: 1, type: 'log', plugin: 'p', level: 'info', text: 'hi' };
    expect(noteEvent(event, { inputs: 'full', redact })).toBeUndefined();
  });

  it('has only the place of a stack, because the message may contain secrets', () => {
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

  it('does not have members that the format does not name', () => {
    const event: BulkheadEvent = Object.assign(started({}), { more: 'than wanted' });
    expect(noteEvent(event, { inputs: 'none', redact })).not.toHaveProperty('more');
  });
});
