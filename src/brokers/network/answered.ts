import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { untilAborted } from '../until-aborted.js';
import type { Connections } from './connections.js';

/**
 * Answers a permitted request in place of the network. The request has the plugin's headers, with
 * secrets inserted. The body of the response must be decoded: its headers `content-encoding`,
 * `content-length` and `transfer-encoding` are ignored.
 */
export type AnswerRequest = (request: Request) => Response | Promise<Response>;

/** Connections on which a function of the host answers. Nothing is dialled, so no address is checked. */
export function makeAnsweredConnections(answer: AnswerRequest): Connections {
  const open = new Set<AbortController>();
  return {
    lease: async (url) => ({
      client: {
        dispatch: (options, handler) => {
          const ending = new AbortController();
          open.add(ending);
          void dispatch(answer, url, options, handler, ending).finally(() => open.delete(ending));
          return true;
        },
      },
      address: undefined,
      release: () => {},
    }),
    close: async () => {
      for (const ending of open) ending.abort(new Error('The connections were closed.'));
    },
  };
}

/** Never rejects. */
async function dispatch(
  answer: AnswerRequest,
  origin: URL,
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
  ending: AbortController,
): Promise<void> {
  const { signal } = ending;
  let flowing = Promise.resolve();
  let flow: (() => void) | undefined;
  const controller: Dispatcher.DispatchController = {
    get aborted() {
      return signal.aborted;
    },
    get paused() {
      return flow !== undefined;
    },
    get reason() {
      return signal.aborted ? signal.reason : null;
    },
    abort: (reason) => ending.abort(reason),
    pause: () => {
      if (flow !== undefined) return;
      flowing = new Promise((resolve) => {
        flow = resolve;
      });
    },
    resume: () => {
      flow?.();
      flow = undefined;
    },
  };
  // A pause must not outlast the request.
  signal.addEventListener('abort', () => controller.resume(), { once: true });
  try {
    handler.onRequestStart?.(controller, undefined);
    signal.throwIfAborted();
    const response = await untilAborted(
      signal,
      Promise.resolve(answer(requestOf(origin, options, signal))),
    );
    const headers = [...response.headers].filter(([name]) => !ABOUT_BYTES.has(name));
    controller.rawHeaders = headers.flat();
    handler.onResponseStart?.(controller, response.status, {}, response.statusText);
    signal.throwIfAborted();
    const reader = response.body?.getReader();
    for (;;) {
      await flowing;
      const read = reader === undefined ? DONE : await untilAborted(signal, reader.read());
      if (read.done) break;
      handler.onResponseData?.(controller, Buffer.from(read.value));
    }
    handler.onResponseEnd?.(controller, {});
  } catch (error) {
    ending.abort(error);
    handler.onResponseError?.(
      controller,
      error instanceof Error ? error : new Error('The answer failed.', { cause: error }),
    );
  }
}

const DONE = { done: true, value: undefined } as const;

/** Headers about the bytes on a wire, which there are none. */
const ABOUT_BYTES = new Set(['content-encoding', 'content-length', 'transfer-encoding']);

function requestOf(
  origin: URL,
  { path, method, headers, body }: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Request {
  const flat = Array.isArray(headers) ? headers : [];
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) {
    pairs.push([String(flat[at]), String(flat[at + 1])]);
  }
  const hasBody = Buffer.isBuffer(body) || body instanceof Readable;
  const init: RequestInit = {
    method,
    headers: pairs,
    signal,
    redirect: 'manual',
    ...(hasBody ? { body, duplex: 'half' } : {}),
  };
  return new Request(new URL(path, origin), init);
}
