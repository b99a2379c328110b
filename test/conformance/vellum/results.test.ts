/** What comes of a Vellum tool's call. Titles begin with their row in the acceptance table. */
import { describe, expect, it } from 'vitest';
import type { CallOptions, CallResult } from '../../../src/index.js';
import { startVellum } from '../../engine/vellum-on-disk.js';

/** Calls a tool whose `execute` has that source. */
async function run(execute: string, options: CallOptions = {}): Promise<CallResult> {
  const engine = await startVellum({
    tools: { example: `export default { input_schema: { type: 'object' }, execute: ${execute} };` },
  });
  const result = await engine.call('example', {}, options);
  await engine.close();
  return result;
}

const returning = (value: string): Promise<CallResult> => run(`async () => (${value})`);

describe('a result', () => {
  it('is read with all of its fields', async () => {
    const result = await returning(
      `{ content: 'cut', isError: false, status: 'truncated', yieldToUser: true,
         contentBlocks: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }] }`,
    );
    expect(result).toMatchObject({ isError: false, status: 'truncated', yieldToUser: true });
    expect(result.content).toEqual([
      { type: 'text', text: 'cut' },
      { type: 'image', mimeType: 'image/png', data: 'AA==' },
    ]);
    expect(result).not.toHaveProperty('code');
  });

  it('that is an error is one, with its own text', async () => {
    const result = await returning(`{ content: 'error: query must be non-empty', isError: true }`);
    expect(result).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
    expect(result.content).toEqual([{ type: 'text', text: 'error: query must be non-empty' }]);
  });

  it('may have empty content', async () => {
    expect((await returning(`{ content: '', isError: false }`)).content).toEqual([
      { type: 'text', text: '' },
    ]);
  });

  it.each([
    ['an object', `{ content: { n: 1 } }`, '{"n":1}', { n: 1 }],
    ['a list', `{ content: [1, 2] }`, '[1,2]', [1, 2]],
    ['no result at all', `{ n: 1 }`, '{"n":1}', { n: 1 }],
    ['a number', `{ content: 5 }`, '5', undefined],
    ['null', `{ content: null }`, 'null', undefined],
  ])('V19: may hold %s where a text belongs', async (_, value, text, structured) => {
    const result = await returning(value);
    expect(result.isError).toBe(false);
    expect(result.content).toEqual([{ type: 'text', text }]);
    expect(result.structured).toEqual(structured);
  });

  it.each([
    ['a text', `'words'`, 'words'],
    ['nothing', 'undefined', ''],
  ])('may be %s', async (_, value, text) => {
    const result = await returning(value);
    expect(result).toMatchObject({ isError: false, content: [{ type: 'text', text }] });
  });

  it('may have its blocks in content', async () => {
    const result = await returning(
      `{ content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }] }`,
    );
    expect(result.content.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(result).not.toHaveProperty('structured');
  });

  it('V8, V9: cannot act for the model, nor say what is for the host to say', async () => {
    const result = await returning(
      `{ content: 'ok', isError: 'yes', yieldToUser: 1, status: {}, riskLevel: 'low', sensitiveBindings: [{}],
         code: 'APPROVED', callId: 'mine', durationMs: -1, retryAfterMs: 5,
         contentBlocks: [{ type: 'tool_use', name: 'bash', input: {} }, { type: 'tool_result' }, 5, null] }`,
    );
    expect(result).toMatchObject({ isError: false, content: [{ type: 'text', text: 'ok' }] });
    expect(Object.keys(result).toSorted()).toEqual([
      'callId',
      'content',
      'durationMs',
      'isError',
      'value',
    ]);
    expect(result.callId).not.toBe('mine');
  });
});

describe('a failure', () => {
  const messageOf = async (execute: string, options?: CallOptions): Promise<unknown> => {
    const result = await run(execute, options);
    expect(result.isError).toBe(true);
    return result.content[0]?.text;
  };

  it('V-T6: a tool without execute says exactly that', async () => {
    const engine = await startVellum({ tools: { empty: 'export default {}' } });
    const result = await engine.call('empty', {});
    expect(result.value).toEqual({
      content: 'tool empty has no execute implementation',
      isError: true,
    });
    expect(result).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
  });

  it('V-E2: what it threw is reported in Vellum’s words', async () => {
    expect(await messageOf(`() => { throw new Error('bad') }`)).toBe(
      'Tool "example" encountered an unexpected error: bad',
    );
    expect(await messageOf(`async () => { throw 'just words' }`)).toBe('just words');
    expect(await messageOf(`async () => { throw { a: 1 } }`)).toBe('{"a":1}');
    const named = (name: string): string =>
      `() => { throw Object.assign(new Error('it stopped'), { name: '${name}' }) }`;
    expect(await messageOf(named('AbortError'))).toBe('it stopped');
    expect(await messageOf(named('ToolError'))).toBe('it stopped');
    expect(await messageOf(named('TypeError'))).toContain('unexpected error: it stopped');
  });

  it('V-E4: a deadline is reported in seconds, and the tool has ended', async () => {
    const result = await run('() => new Promise(() => {})', { timeoutMs: 200 });
    expect(result.code).toBe('DEADLINE_EXCEEDED');
    expect(result.content[0]?.text).toMatch(
      /^Tool "example" timed out after 0\.2s\. It was stopped\./,
    );
  });

  it('a denial says what was refused and what would allow it', async () => {
    const result = await run(
      'async () => { await (await import("node:fs/promises")).readFile("/etc/passwd") }',
    );
    expect(result.code).toBe('FILESYSTEM_DENIED');
    expect(result.content[0]?.text).not.toContain('unexpected error');
  });
});
