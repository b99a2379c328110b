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

  it('V-E2: what it threw is told in Vellum’s words', async () => {
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

  it('V-E4: a deadline is told in seconds, and the tool has ended', async () => {
    const result = await run('() => new Promise(() => {})', { timeoutMs: 200 });
    expect(result.code).toBe('DEADLINE_EXCEEDED');
    expect(result.content[0]?.text).toMatch(
      /^Tool "example" timed out after 0\.2s\. It was stopped\./,
    );
  });

  it('a denial says what was refused and what would allow it', async () => {
    const result = await run(
      'async () => { await (await import("node:fs/promises")).readFile("x") }',
    );
    expect(result.code).toBe('FILESYSTEM_DENIED');
    expect(result.content[0]?.text).not.toContain('unexpected error');
  });
});

describe('the context', () => {
  const contextOf = async (options: CallOptions): Promise<unknown> => {
    const result = await run(
      `(input, ctx) => ({ content: { keys: Object.keys(ctx).toSorted(), conversationId: ctx.conversationId,
        workingDir: ctx.workingDir, requestId: ctx.requestId, assistantId: ctx.assistantId,
        isInteractive: ctx.isInteractive, aborted: ctx.signal.aborted, onOutput: typeof ctx.onOutput } })`,
      options,
    );
    return result.structured;
  };

  it('holds what the caller supplies, and no more than is documented', async () => {
    const context = {
      conversationId: 'c1',
      workingDir: '/work',
      requestId: 'r1',
      assistantId: 'a1',
      isInteractive: true,
      trustClass: 'guardian',
      allowedToolNames: ['bash'],
    };
    expect(await contextOf({ context, onOutput: () => {} })).toEqual({
      keys: [
        'assistantId',
        'conversationId',
        'isInteractive',
        'onOutput',
        'requestId',
        'signal',
        'workingDir',
      ],
      conversationId: 'c1',
      workingDir: '/work',
      requestId: 'r1',
      assistantId: 'a1',
      isInteractive: true,
      aborted: false,
      onOutput: 'function',
    });
  });

  it('has its two required fields for a caller who supplies nothing', async () => {
    expect(await contextOf({})).toEqual({
      keys: ['conversationId', 'signal', 'workingDir'],
      conversationId: 'default',
      workingDir: '/plugin',
      aborted: false,
      onOutput: 'undefined',
    });
  });

  it.each([
    ['the caller gives up', 'CANCELLED'],
    ['the deadline passes', 'DEADLINE_EXCEEDED'],
  ])('has a signal that is aborted when %s', async (_, code) => {
    const lines: string[] = [];
    const engine = await startVellum(
      {
        tools: {
          waits: `export default { input_schema: {}, execute: ({ now }, { signal, onOutput }) => new Promise((resolve) => {
            if (now) resolve({ content: '' });
            signal.addEventListener('abort', () => { console.log('aborted', signal.aborted); resolve({ content: '' }); });
            onOutput?.('waiting');
          }) };`,
        },
      },
      {
        limits: { graceMs: 10_000 },
        onEvent: (event) => event.type === 'log' && lines.push(event.text),
      },
    );
    // Its guest has started, so that what follows is the tool's own time.
    await engine.call('waits', { now: true });
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const options: CallOptions =
      code === 'CANCELLED' ? { signal, onOutput: () => giveUp.abort() } : { timeoutMs: 500 };
    expect((await engine.call('waits', {}, options)).code).toBe(code);
    await expect.poll(() => lines, { timeout: 10_000 }).toEqual(['aborted true']);
  });
});

describe('output', () => {
  it('reaches the caller while the tool runs, in order and before the answer', async () => {
    const heard: string[] = [];
    const result = await run(
      `async (input, { onOutput }) => {
        for (let n = 0; n < 3; n += 1) { onOutput('line ' + n + '\\n'); await new Promise((r) => setTimeout(r, 60)); }
        onOutput('end'); return { content: 'done', isError: false };
      }`,
      { onOutput: (chunk) => heard.push(chunk) },
    );
    expect(result.isError).toBe(false);
    expect(heard.join('')).toBe('line 0\nline 1\nline 2\nend');
    expect(heard.length).toBeGreaterThan(1);
  });

  it('of a tool that writes without end is capped, and costs one message a while', async () => {
    const heard: string[] = [];
    const result = await run(
      `async (input, { onOutput }) => { for (let n = 0; n < 30000; n += 1) onOutput('x'.repeat(100)); return { content: '' }; }`,
      { onOutput: (chunk) => heard.push(chunk) },
    );
    expect(result.isError).toBe(false);
    expect(heard.join('').length).toBeLessThanOrEqual(1024 * 1024);
    expect(heard.join('')).toContain('dropped');
    expect(heard.length).toBeLessThan(100);
  });

  it('takes texts, and asks no object for its text', async () => {
    const heard: string[] = [];
    await run(
      `(input, { onOutput }) => { onOutput(5); onOutput({ toString() { throw 1 } }); onOutput(undefined); return { content: '' }; }`,
      { onOutput: (chunk) => heard.push(chunk) },
    );
    expect(heard).toEqual(['5']);
  });

  it('after the answer, or of a listener that throws, ends nothing', async () => {
    const heard: string[] = [];
    const engine = await startVellum({
      tools: {
        late: `export default { execute: (i, { onOutput }) => { onOutput?.('now'); setTimeout(() => onOutput?.('late'), 50); return { content: '' }; } };`,
      },
    });
    const listen = (chunk: string): void => {
      heard.push(chunk);
      throw new Error('the listener broke');
    };
    expect((await engine.call('late', {}, { onOutput: listen })).isError).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect((await engine.call('late', {})).isError).toBe(false);
    expect(heard).toEqual(['now']);
  });
});
