import { ReadableStream } from 'node:stream/web';
import { describe, expect, it } from 'vitest';
import { streamCall } from '../../../src/engine/call/stream.js';
import type { CallStreamEvent } from '../../../src/index.js';
import { entryOf } from '../../remotes/mcp/servers.js';
import { answering, makeExtension } from '../extension-on-disk.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';
import { makeVellum } from '../vellum-on-disk.js';

const tools = {
  build: `export default { description: 'd', defaultRiskLevel: 'low', input_schema: { type: 'object', properties: {} },
    execute: async (input, { onOutput }) => {
      onOutput('one'); await new Promise((done) => setTimeout(done, 20)); onOutput('two');
      return { content: 'built', isError: false };
    } };`,
  hang: `export default { description: 'd', defaultRiskLevel: 'low', input_schema: { type: 'object', properties: {} },
    execute: (input, { onOutput }) => { onOutput('begun'); return new Promise(() => {}); } };`,
};

async function read(events: AsyncIterable<CallStreamEvent>): Promise<CallStreamEvent[]> {
  const read_: CallStreamEvent[] = [];
  for await (const event of events) read_.push(event);
  return read_;
}

describe('a streamed call', () => {
  it('yields its output while it runs, and at last its result', async () => {
    const engine = await startEngine([makeVellum({ tools })]);
    const events = await read(engine.stream('build', {}));
    const output = events.flatMap((event) => (event.type === 'output' ? [event.text] : []));
    expect(output.join('')).toBe('onetwo');
    expect(events.at(-1)).toMatchObject({
      type: 'result',
      result: { isError: false, content: [{ text: 'built' }] },
    });
  });

  it('is cancelled if its reader stops', async () => {
    const engine = await startEngine([makeVellum({ tools })]);
    const ended = new Promise((resolve) => {
      engine.on((event) => event.type === 'call-ended' && resolve(event.code));
    });
    for await (const event of engine.stream('hang', {})) {
      expect(event).toEqual({ type: 'output', text: 'begun' });
      break;
    }
    expect(await ended).toBe('CANCELLED');
  });

  it('is cancelled by return(), also while its reader waits for an event', async () => {
    const engine = await startEngine([makeVellum({ tools })]);
    const stream = engine.stream('hang', {});
    await stream.next();
    const next = stream.next();
    expect(await stream.return()).toEqual({ done: true, value: undefined });
    expect(await next).toMatchObject({
      value: { type: 'result', result: { isError: true, code: 'CANCELLED' } },
    });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('is cancelled if the web stream over it is cancelled', async () => {
    const engine = await startEngine([makeVellum({ tools })]);
    const ended = new Promise((resolve) => {
      engine.on((event) => event.type === 'call-ended' && resolve(event.code));
    });
    const web = ReadableStream.from(engine.stream('hang', {}));
    const reader = web.getReader();
    await reader.read();
    const next = reader.read();
    await reader.cancel();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await ended).toBe('CANCELLED');
  });

  it('does not run if it is never read', async () => {
    const engine = await startEngine([makeVellum({ tools })]);
    const begun: string[] = [];
    engine.on((event) => begun.push(event.type));
    const stream = engine.stream('build', {});
    await stream.return();
    expect(await read(stream)).toEqual([]);
    expect(begun).not.toContain('call-started');
  });

  it('ends with its result in every plugin system', async () => {
    const engine = await startEngine([
      makePlugin({ tools: { say: `async () => 'said'` } }),
      makeExtension({ identifier: 'second', source: answering({ tell: `'told'` }) }),
    ]);
    for (const [tool, text] of [
      ['say', 'said'],
      ['tell', 'told'],
    ] as const) {
      const events = await read(engine.stream(tool, {}));
      expect(events).toMatchObject([{ type: 'result', result: { content: [{ text }] } }]);
    }
  });

  it('yields the progress of an MCP server', async () => {
    const server = {
      id: 'house',
      command: process.execPath,
      args: [entryOf('server-everything'), 'stdio'],
    };
    const engine = await startEngine([], { remotes: [server] });
    const input = { duration: 0.2, steps: 2 };
    const events = await read(engine.stream('house__trigger-long-running-operation', input));
    expect(events.at(0)).toMatchObject({ type: 'progress', progress: 1, total: 2 });
    expect(events.at(-1)).toMatchObject({ type: 'result', result: { isError: false } });
  });

  it('throws what the call throws', async () => {
    const engine = await startEngine([]);
    await expect(read(engine.stream('nowhere', {}))).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
    });
  });

  it('yields progress, and drops output without a reader', async () => {
    const result = { callId: 'c', isError: false, content: [], durationMs: 1 };
    const events = await read(
      streamCall(async ({ onOutput, onProgress }) => {
        onProgress?.({ progress: 1, total: 2 });
        for (let n = 0; n < 10; n += 1) onOutput?.('x'.repeat(1024 * 1024));
        return result;
      }, {}),
    );
    expect(events.map(({ type }) => type)).toEqual([
      'progress',
      'output',
      'output',
      'output',
      'output',
      'result',
    ]);
    expect(events[0]).toEqual({ type: 'progress', progress: 1, total: 2 });
  });
});
