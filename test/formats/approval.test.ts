import { describe, expect, test } from 'vitest';
import { requiresApproval, runsInBackground } from '../../src/formats/approval.js';
import type { JsonObject } from '../../sandbox/wire/messages.js';

const tool = { id: '@a/b:send', toolId: 'send' };
const asks = (byDefault: boolean, config: JsonObject | null): boolean =>
  requiresApproval({ requireApproval: byDefault }, tool, config);

describe('the approval setting of a tool', () => {
  test('is the manifest’s default if there is no override', () => {
    for (const byDefault of [true, false]) {
      expect(asks(byDefault, null)).toBe(byDefault);
      expect(asks(byDefault, {})).toBe(byDefault);
      expect(asks(byDefault, { requireApproval: { other: !byDefault } })).toBe(byDefault);
    }
  });

  test('is overridden by the operator by the tool’s own id or its full id', () => {
    for (const name of ['send', '@a/b:send']) {
      expect(asks(true, { requireApproval: { [name]: false } })).toBe(false);
      expect(asks(false, { requireApproval: { [name]: true } })).toBe(true);
    }
  });

  test('requires approval if two overrides differ', () => {
    expect(asks(false, { requireApproval: { send: false, '@a/b:send': true } })).toBe(true);
  });

  test('is not overridden by a value other than yes or no', () => {
    expect(asks(true, { requireApproval: { send: 'false' } })).toBe(true);
    expect(asks(true, { requireApproval: false })).toBe(true);
  });

  test('is not overridden by an inherited property of the same name', () => {
    const constructor = { id: 'a:constructor', toolId: 'constructor' };
    expect(requiresApproval({ requireApproval: true }, constructor, { requireApproval: {} })).toBe(
      true,
    );
  });

  test('allows a read-only tool that requires no approval to run unattended', () => {
    expect(runsInBackground({ readOnlyHint: true }, false)).toBe(true);
    expect(runsInBackground({ readOnlyHint: true }, true)).toBe(false);
    expect(runsInBackground({ readOnlyHint: false }, false)).toBe(false);
  });
});
