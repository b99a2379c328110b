import { toText } from '../../endowments/web-idl.js';
import { type Callback, demandCallback } from './callbacks.js';
import type { Events } from './events.js';
import { readField } from './strict.js';
import { SPINDLE_LIMITS } from './limits.js';

/** `spindle.generate.observe(chatId)`: follows the generations of one chat by their events. */
export function makeObserve(events: Events): (chatId: unknown) => object {
  return (chatId) => {
    let content = '';
    let reasoning = '';
    let generationId: unknown = null;
    const handlers: Record<'start' | 'token' | 'end' | 'stop', Callback[]> = {
      start: [],
      token: [],
      end: [],
      stop: [],
    };
    const follow = (
      event: string,
      kind: keyof typeof handlers,
      note: (payload: unknown) => void,
    ): (() => void) =>
      events.on(event, (payload: unknown) => {
        if (readField(payload, 'chatId') !== chatId) return;
        note(payload);
        for (const handler of handlers[kind]) handler(payload);
      });
    const add =
      (kind: keyof typeof handlers) =>
      (handler: unknown): void => {
        handlers[kind].push(demandCallback(handler, 'spindle.generate.observe'));
      };

    const stops = [
      follow('GENERATION_STARTED', 'start', (payload) => {
        generationId = readField(payload, 'generationId');
        content = '';
        reasoning = '';
      }),
      follow('STREAM_TOKEN_RECEIVED', 'token', (payload) => {
        const token = toText(readField(payload, 'token') ?? '').slice(
          0,
          SPINDLE_LIMITS.maxObservedCharacters,
        );
        if (readField(payload, 'type') === 'reasoning') reasoning = grown(reasoning, token);
        else content = grown(content, token);
      }),
      follow('GENERATION_ENDED', 'end', () => {
        generationId = null;
      }),
      follow('GENERATION_STOPPED', 'stop', () => {
        generationId = null;
      }),
    ];
    return Object.freeze({
      onStart: add('start'),
      onToken: add('token'),
      onEnd: add('end'),
      onStop: add('stop'),
      get content() {
        return content;
      },
      get reasoning() {
        return reasoning;
      },
      get generationId() {
        return generationId;
      },
      dispose: (): void => {
        for (const stop of stops) stop();
        for (const kind of Object.values(handlers)) kind.length = 0;
      },
    });
  };
}

function grown(text: string, more: string): string {
  return text.length >= SPINDLE_LIMITS.maxObservedCharacters ? text : text + more;
}
