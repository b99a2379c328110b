import { describe, expect, it } from 'vitest';
import { streamCall } from '../../../src/engine/call/stream.js';
import type { CallStreamEvent } from '../../../src/index.js';
import { startEngine } from '../plugin-on-disk.js';
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
