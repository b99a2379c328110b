import { expect, test } from 'vitest';
import { requiresApproval, runsInBackground } from '../../../src/formats/pandora/approval.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';

const tool = { id: '@a/b:send', toolId: 'send' };
const asks = (byDefault: boolean, config: JsonObject | null): boolean =>
  requiresApproval({ requireApproval: byDefault }, tool, config);

test('the manifest’s default holds where nobody says otherwise', () => {
  for (const byDefault of [true, false]) {
    expect(asks(byDefault, null)).toBe(byDefault);
    expect(asks(byDefault, {})).toBe(byDefault);
    expect(asks(byDefault, { requireApproval: { other: !byDefault } })).toBe(byDefault);
  }
});

test('the operator overrides it by the tool’s own id or by its full one', () => {
  for (const name of ['send', '@a/b:send']) {
    expect(asks(true, { requireApproval: { [name]: false } })).toBe(false);
    expect(asks(false, { requireApproval: { [name]: true } })).toBe(true);
  }
});

test('of two overrides that differ, asking wins', () => {
  expect(asks(false, { requireApproval: { send: false, '@a/b:send': true } })).toBe(true);
});

test('what is no yes and no no overrides nothing', () => {
  expect(asks(true, { requireApproval: { send: 'false' } })).toBe(true);
  expect(asks(true, { requireApproval: false })).toBe(true);
});

test('a tool named like an inherited property is not overridden by it', () => {
  const constructor = { id: 'a:constructor', toolId: 'constructor' };
  expect(requiresApproval({ requireApproval: true }, constructor, { requireApproval: {} })).toBe(
    true,
  );
});

test('what only reads and does not ask may run unattended', () => {
  expect(runsInBackground({ readOnlyHint: true }, false)).toBe(true);
  expect(runsInBackground({ readOnlyHint: true }, true)).toBe(false);
  expect(runsInBackground({ readOnlyHint: false }, false)).toBe(false);
});
