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
  const gathered = makeGathered();
  for await (const text of readTexts(response)) {
    const length = gathered.add(text);
    if (streams && length > MAX_EVENT_CHARACTERS) throw tooLarge(EVENT_CAP);
    if (!streams || !gathered.mayEnd()) continue;
    const events = gathered.take().split(EVENT_END);
    gathered.add(events.pop() ?? '');
    for (const event of events) {
      const data = dataOf(event);
      if (data !== undefined) yield data;
    }
  }
  const last = streams ? dataOf(gathered.take()) : gathered.take();
  if (last !== undefined && last !== '') yield last;
}

/** Lines end as the standard allows; events end with an empty one. */
const EVENT_END = /\r\n\r\n|\n\n|\r\r/;

/** All but the first character of the longest end of an event. */
const BEFORE_END = 3;

interface Gathered {
  /** Answers how many characters there are now. */
  add(text: string): number;
  /** Whether an event may have ended in what was added last. */
  mayEnd(): boolean;
  /** All of it, once. */
  take(): string;
}

/** Looks at each piece once, however many an event comes in: an endpoint may send it byte by byte. */
function makeGathered(): Gathered {
  let pieces: string[] = [];
  let length = 0;
  let end = '';
  return {
    add: (text) => {
      pieces.push(text);
      length += text.length;
      end = end.slice(-BEFORE_END) + text;
      return length;
    },
    mayEnd: () => EVENT_END.test(end),
    take: () => {
      const whole = pieces.join('');
      pieces = [];
      length = 0;
      end = '';
      return whole;
    },
  };
}

async function* readTexts({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_REPLY_BYTES) throw tooLarge(REPLY_CAP);
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

const REPLY_CAP = `${MAX_REPLY_BYTES} bytes for one reply`;
const EVENT_CAP = `${MAX_EVENT_CHARACTERS} characters for one event of a reply`;

function tooLarge(cap: string): BulkheadError {
  return new BulkheadError('MODEL_FAILED', `The model's endpoint sent more than ${cap}.`, {});
}
