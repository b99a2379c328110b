import { describe, expect, it } from 'vitest';
import { refusalOfThrow, responseOf } from '../../../src/http/vertesia/protocol.js';
import { BulkheadError, type CallResult, type ErrorCode } from '../../../src/index.js';

const result: CallResult = {
  callId: 'c',
  isError: false,
  durationMs: 1,
  content: [
    { type: 'text', text: 'one' },
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    { type: 'text', text: 'two' },
  ],
};

describe('a result in Vertesia’s protocol', () => {
  it('contains the text, the files on the web, and the metadata under both names', () => {
    const files = ['https://a.example/x', 'file:///etc/passwd', 'javascript:alert(1)', 'x'];
    expect(responseOf('u', { ...result, files, meta: { n: 1 } })).toEqual({
      tool_use_id: 'u',
      is_error: false,
      content: 'one\ntwo',
      files: ['https://a.example/x'],
      metadata: { n: 1 },
      meta: { n: 1 },
    });
  });

  it('is an answer if the tool returned an error, and a failure if it threw', () => {
    const failed = { ...result, isError: true, code: 'TOOL_FAILED' } as const;
    expect(responseOf('u', { ...failed, value: 'said' })).toMatchObject({ is_error: true });
    expect(() => responseOf('u', failed)).toThrow(
      expect.objectContaining({ status: 500 }) as Error,
    );
  });

  it.each<[ErrorCode, number]>([
    ['INVALID_INPUT', 400],
    ['APPROVAL_REQUIRED', 403],
    ['TOOL_NOT_FOUND', 404],
    ['PLUGIN_INACTIVE', 404],
    ['BUSY', 429],
    ['GUEST_CRASHED', 500],
    ['RESULT_TOO_LARGE', 500],
    ['REMOTE_FAILED', 502],
    ['NETWORK_FAILED', 502],
    ['QUARANTINED', 503],
    ['ENGINE_CLOSED', 503],
    ['DEADLINE_EXCEEDED', 504],
  ])('that failed with %s has status %i', (code, status) => {
    const refused = (): unknown =>
      responseOf('u', { ...result, isError: true, code, retryAfterMs: 1_500 });
    expect(refused).toThrow(
      expect.objectContaining({
        status,
        data: expect.objectContaining({ code }) as object,
      }) as Error,
    );
  });

  it('contains retry-after if the engine is busy', () => {
    const busy = { ...result, isError: true, code: 'BUSY', retryAfterMs: 1_500 } as const;
    expect(() => responseOf('u', busy)).toThrow(
      expect.objectContaining({ headers: { 'retry-after': '2' } }) as Error,
    );
  });

  it.each<ErrorCode>(['APPROVAL_DENIED', 'NETWORK_DENIED', 'FILESYSTEM_DENIED', 'POLICY_DENIED'])(
    'is an answer to the model for %s',
    (code) => {
      expect(responseOf('u', { ...result, isError: true, code })).toMatchObject({ is_error: true });
    },
  );
});

describe('an error that the engine threw', () => {
  it('is reported by its code, and any other error without details', () => {
    const closed = new BulkheadError('ENGINE_CLOSED', 'closed', {});
    expect(refusalOfThrow(closed)).toMatchObject({ status: 503, message: 'closed' });
    expect(refusalOfThrow(new Error('/etc/secret'))).toMatchObject({
      status: 500,
      message: 'Internal error',
    });
  });
});
