import { expect, it } from 'vitest';
import { readEvents } from '../../../src/agent/models/events.js';

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

it.each(['\n\n', '\r\n\r\n', '\r\r'])('events that end with %j are told apart', async (end) => {
  const text = `data: one${end}: a comment${end}data:two${end}event: x${end}data: three`;
  for (const size of [1, 2, 3, 4, 1000]) {
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    expect(await read(streamed(pieces))).toEqual(['one', 'two', 'three']);
  }
});

it('a body that is no stream of events is read whole', async () => {
  expect(await read(streamed(['{"a":', '1}\n\n'], 'application/json'))).toEqual(['{"a":1}\n\n']);
});

it('an event in very many pieces takes no longer than its length', async () => {
  function* pieces(): Generator<string> {
    yield 'data: ';
    for (let piece = 0; piece < 200_000; piece += 1) yield 'x'.repeat(16);
    yield '\n\n';
  }
  // Looked at from its beginning with each piece, this would be minutes.
  const [event] = await read(streamed(pieces()));
  expect(event).toHaveLength(3_200_000);
});

it('an event without end is refused', async () => {
  function* pieces(): Generator<string> {
    for (;;) yield 'x'.repeat(100_000);
  }
  await expect(read(streamed(pieces()))).rejects.toMatchObject({
    code: 'MODEL_FAILED',
    message: expect.stringContaining('for one event'),
  });
});
