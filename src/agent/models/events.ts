import { BulkheadError } from '../../errors.js';

/** What an endpoint may send for one reply, and in one of its events. */
const MAX_REPLY_BYTES = 32 * 1024 * 1024;
const MAX_EVENT_CHARACTERS = 4 * 1024 * 1024;

/**
 * The data of each server-sent event, as it arrives; or the whole body, once, where the endpoint
 * answered with one instead of a stream.
 */
export async function* readEvents(response: Response): AsyncGenerator<string> {
  const streams = response.headers.get('content-type')?.includes('text/event-stream') === true;
  let rest = '';
  for await (const text of readTexts(response)) {
    rest += text;
    if (rest.length > (streams ? MAX_EVENT_CHARACTERS : MAX_REPLY_BYTES)) throw tooLarge();
    if (!streams) continue;
    // Lines end as the standard allows; events end with an empty one.
    const events = rest.split(/\r\n\r\n|\n\n|\r\r/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = dataOf(event);
      if (data !== undefined) yield data;
    }
  }
  const last = streams ? dataOf(rest) : rest;
  if (last !== undefined && last !== '') yield last;
}

async function* readTexts({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_REPLY_BYTES) throw tooLarge();
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
}

function dataOf(event: string): string | undefined {
  const lines = event
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(line.startsWith('data: ') ? 6 : 5));
  return lines.length === 0 ? undefined : lines.join('\n');
}

function tooLarge(): BulkheadError {
  return new BulkheadError(
    'MODEL_FAILED',
    `The model's endpoint sent more than ${MAX_REPLY_BYTES} bytes for one reply.`,
    {},
  );
}
