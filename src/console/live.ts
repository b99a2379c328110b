import type { BulkheadEvent } from '../events.js';
import { ConsoleRefusal } from './refusal.js';

/** Tells open pages that something changed. The events carry no content: the page loads itself again. */
export interface Live {
  readonly listener: (event: BulkheadEvent) => void;
  /** An answer that streams the events until the client leaves. Throws for too many of them. */
  stream(): Response;
  /** Tells the pages that the approvals changed. */
  approvalsChanged(): void;
  /** Ends all streams. */
  close(): void;
}

const MAX_STREAMS = 32;

/** Milliseconds between two events of a kind: a burst of questions is one event. */
const PAUSE_MS = 500;

/** A comment that keeps proxies from closing a silent stream. */
const BEAT_MS = 20_000;

export function makeLive(pending: () => number): Live {
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const encoder = new TextEncoder();
  let timer: NodeJS.Timeout | undefined;

  const send = (text: string): void => {
    const bytes = encoder.encode(text);
    for (const stream of streams) {
      // A client that does not read gets no more events, and sees the last ones first.
      if ((stream.desiredSize ?? 0) > -64) stream.enqueue(bytes);
    }
  };
  const beat = setInterval(() => send(': beat\n\n'), BEAT_MS);
  beat.unref();
  const approvalsChanged = (): void => {
    if (streams.size === 0) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      send(`event: approvals\ndata: ${pending()}\n\n`);
    }, PAUSE_MS);
  };

  return {
    listener: ({ type }) => {
      if (type.startsWith('approval-')) approvalsChanged();
    },
    approvalsChanged,
    stream: () => {
      // guard: console-streams-capped
      if (streams.size >= MAX_STREAMS) {
        throw new ConsoleRefusal(
          429,
          'Too many pages of the console are open. Close some of them.',
        );
      }
      let own: ReadableStreamDefaultController<Uint8Array> | undefined;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          own = controller;
          streams.add(controller);
          controller.enqueue(
            encoder.encode(`retry: 3000\nevent: approvals\ndata: ${pending()}\n\n`),
          );
        },
        cancel: () => {
          if (own !== undefined) streams.delete(own);
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
    close: () => {
      clearInterval(beat);
      clearTimeout(timer);
      for (const stream of streams) stream.close();
      streams.clear();
    },
  };
}
