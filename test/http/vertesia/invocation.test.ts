import { describe, expect, it } from 'vitest';
import { parseInvocation } from '../../../src/http/vertesia/protocol.js';

describe('an invocation', () => {
  it('is passed on with its metadata, without endpoints', () => {
    const metadata = { run_id: 'r', endpoints: { studio: 'https://evil.example' }, n: 1 };
    const tool_use = { id: 'u', tool_name: 't', tool_input: { a: 1 } };
    expect(parseInvocation({ tool_use, metadata })).toEqual({
      toolUseId: 'u',
      name: 't',
      input: { a: 1 },
      metadata: { run_id: 'r', n: 1 },
    });
  });
});
