import { describe, expect, it } from 'vitest';
import { readEvents } from '../../../src/agent/models/endpoint.js';

function streamed(pieces: Iterable<string>, type = 'text/event-stream'): Response {
  const encoder = new TextEncoder();
  const rest = pieces[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const { done = false, value } = rest.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  return new Response(body, { headers: { 'content-type': type } });
}

async function read(response: Response): Promise<readonly string[]> {
  const events: string[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}

describe('server-sent events', () => {
  it.each(['\n\n', '\r\n\r\n', '\r\r'])('are separated by %j', async (end) => {
    const text = `data: one${end}: a comment${end}data:two${end}event: x${end}data: three`;
    for (const size of [1, 2, 3, 4, 1000]) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect(await read(streamed(pieces))).toEqual(['one', 'two', 'three']);
    }
  });

  it('are the whole body if it is not an event stream', async () => {
    expect(await read(streamed(['{"a":', '1}\n\n'], 'application/json'))).toEqual(['{"a":1}\n\n']);
  });

  it('in many pieces are read in linear time', async () => {
    function* pieces(): Generator<string> {
      yield 'data: ';
      for (let piece = 0; piece < 200_000; piece += 1) yield 'x'.repeat(16);
      yield '\n\n';
    }
    // Quadratic time would take minutes.
    const [event] = await read(streamed(pieces()));
    expect(event).toHaveLength(3_200_000);
  });

  it('that never end are refused', async () => {
    function* pieces(): Generator<string> {
      for (;;) yield 'x'.repeat(100_000);
    }
    await expect(read(streamed(pieces()))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringContaining('for one event'),
    });
  });
});
