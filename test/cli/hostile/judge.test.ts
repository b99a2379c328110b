import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/cli/hostile/attacks.js';
import type { CallResult, ErrorCode, Json } from '../../../src/index.js';

const returned = (value?: Json): CallResult => ({
  callId: 'c',
  isError: false,
  durationMs: 1,
  content: [{ type: 'text', text: JSON.stringify(value ?? null) }],
  ...(value === undefined ? {} : { value }),
});
const failed = (code: ErrorCode, text = 'no'): CallResult => ({
  callId: 'c',
  isError: true,
  durationMs: 1,
  content: [{ type: 'text', text }],
  code,
});

describe('an attempt of which nothing else is said', () => {
  it.each([
    ['it returns nothing', returned()],
    ['it returns null', returned(null)],
    ['it got null', returned({ got: null })],
    ['what it got has no word in JSON', returned({})],
    ['it was refused', failed('NETWORK_DENIED')],
    ['it threw', failed('TOOL_FAILED')],
    ['it was killed', failed('GUEST_OUT_OF_MEMORY')],
  ])('passed if %s', (_, result) => {
    expect(judge(result, {}, ['secret']).passed).toBe(true);
  });

  it.each([
    ['it got something', returned({ got: 1 })],
    ['it got something false', returned({ got: false })],
    ['it returns a word', returned('word')],
    ['it returns a list', returned([])],
    ['it returns other fields', returned({ pid: 1 })],
    ['it could not be loaded', failed('LOAD_FAILED')],
    ['it was given an input that it does not take', failed('INVALID_INPUT')],
    ['it was not started', failed('QUARANTINED')],
    ['what it was after was not there', failed('NETWORK_FAILED')],
    ['an error tells the secret', failed('TOOL_FAILED', 'it says secret')],
    ['a denial tells the secret', failed('NETWORK_DENIED', 'a secret')],
  ])('failed if %s', (_, result) => {
    expect(judge(result, {}, ['secret']).passed).toBe(false);
  });
});

describe('an attempt of which something is expected', () => {
  const expected = { codes: ['RESULT_INVALID'], gots: [{ granted: [1] }, 'other'] };

  it('passed if the outcome matches', () => {
    expect(judge(failed('RESULT_INVALID'), expected, []).passed).toBe(true);
    expect(judge(returned({ got: { granted: [1] } }), expected, []).passed).toBe(true);
    expect(judge(returned('other'), expected, []).passed).toBe(true);
  });

  it.each([
    ['another code', failed('TOOL_FAILED')],
    ['nothing', returned({ got: null })],
    ['more', returned({ got: { granted: [1], more: 2 } })],
  ])('failed if the outcome is %s', (_, result) => {
    expect(judge(result, expected, []).passed).toBe(false);
  });

  it('failed if the allowed answer has the secret in it', () => {
    expect(judge(returned({ got: 'secret' }), { gots: ['secret'] }, ['secret']).passed).toBe(false);
  });
});
