/** What a Vellum tool is handed besides its input. */
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
      workingDir: '/workspace',
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
