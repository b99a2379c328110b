import { withOrigin } from '../../endowments/error-origin.js';
import { isRecord } from '../../wire/json.js';
import { MCP_LIMITS } from './limits.js';

/** One JSON-RPC session with a server. Everything that the server sends is untrusted. */
export interface Session {
  /** Sends a request. Rejects with the server's error, or if the session ends. */
  ask(method: string, params: object, options?: AskOptions): Promise<unknown>;
  notify(method: string, params: object): void;
  /** Reads one line of the server. */
  receive(line: string): void;
  /** Rejects all open requests with a reason, and goes on. */
  fail(why: string): void;
  /** Rejects all open and later requests with a reason. `origin`: what was thrown. */
  end(why: string, origin?: unknown): void;
}

export interface AskOptions {
  /** Adds a progress token, and receives the reports of the server. */
  readonly onProgress?: ((report: Readonly<Record<string, unknown>>) => void) | undefined;
  /** Registers the listener for the caller's cancel. */
  readonly onCancel?: ((listener: (why: string) => void) => void) | undefined;
}

export interface SessionSpec {
  readonly send: (line: string) => void;
  /**
   * A request of the server. Resolves with the result. `undefined`: it is not granted. `onCancel` registers
   * the listener for the server's cancel, and returns how to remove it.
   */
  readonly onRequest: (
    method: string,
    params: unknown,
    onCancel: (listener: () => void) => () => void,
  ) => Promise<unknown> | undefined;
  /** A notification that is not about a request. */
  readonly onNotification: (method: string, params: Readonly<Record<string, unknown>>) => void;
  /** A line that is not a message, or an answer to no open request. */
  readonly onStray: (what: string) => void;
}

interface Open {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: AskOptions['onProgress'];
}

export function makeSession({ send, onRequest, onNotification, onStray }: SessionSpec): Session {
  const open = new Map<number, Open>();
  /** The server's own requests: what cancels each. */
  const asked = new Map<string | number, Set<() => void>>();
  let nextId = 1;
  let ended: { readonly why: string; readonly origin: unknown } | undefined;
  const transmit = (message: object): void => send(JSON.stringify({ jsonrpc: '2.0', ...message }));

  const settle = ({ id, result, error }: Readonly<Record<string, unknown>>): void => {
    // Only ids that this session made and that are open: not one that was answered, given up or never asked.
    const one = typeof id === 'number' ? open.get(id) : undefined;
    if (typeof id !== 'number' || one === undefined) return onStray('an answer to no open request');
    open.delete(id);
    if (error === undefined) one.resolve(result);
    else one.reject(errorOf(error));
  };

  const answer = (id: unknown, method: string, params: unknown): void => {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    if (method === 'ping') return transmit({ id, result: {} });
    const refuse = (code: number, message: string): void =>
      transmit({ id, error: { code, message } });
    // guard: mcp-server-requests-capped
    if (asked.size >= MCP_LIMITS.maxAsked || asked.has(id)) {
      return refuse(INTERNAL_ERROR, 'too many requests of this server are open');
    }
    const cancels = new Set<() => void>();
    const answered = onRequest(method, params, (listener) => {
      cancels.add(listener);
      return () => cancels.delete(listener);
    });
    if (answered === undefined) {
      refuse(METHOD_NOT_FOUND, `${method.slice(0, 100)} is not granted to this server`);
      return onStray(`a request for ${method.slice(0, 100)}, which is not granted`);
    }
    asked.set(id, cancels);
    answered
      .then(
        (result) => transmit({ id, result }),
        (error: unknown) => refuse(INTERNAL_ERROR, messageOf(error)),
      )
      .finally(() => asked.delete(id))
      .catch(() => {});
  };

  const cancel = (id: unknown): void => {
    const cancels = typeof id === 'string' || typeof id === 'number' ? asked.get(id) : undefined;
    for (const stop of cancels ?? []) stop();
  };

  const receiveOne = (message: unknown): void => {
    if (!isRecord(message) || message['jsonrpc'] !== '2.0')
      return onStray('a line that is not a message');
    const { method, id, params } = message;
    if (typeof method !== 'string') return settle(message);
    if (id !== undefined) return answer(id, method, params);
    const given = isRecord(params) ? params : {};
    if (method === 'notifications/cancelled') return cancel(given['requestId']);
    if (method !== 'notifications/progress') return onNotification(method, given);
    const { progressToken } = given;
    if (typeof progressToken === 'number') open.get(progressToken)?.onProgress?.(given);
  };

  const rejectAll = (why: string, origin?: unknown): void => {
    const all = [...open.values()];
    open.clear();
    for (const { reject } of all) reject(withOrigin(new Error(why), origin));
  };

  return {
    ask: (method, params, { onProgress, onCancel } = {}) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(withOrigin(new Error(ended.why), ended.origin));
        const id = nextId;
        nextId += 1;
        open.set(id, { resolve, reject, onProgress });
        onCancel?.((why) => {
          if (!open.delete(id)) return;
          transmit({ method: 'notifications/cancelled', params: { requestId: id, reason: why } });
          reject(new Error(why));
        });
        const meta = onProgress === undefined ? {} : { _meta: { progressToken: id } };
        transmit({ id, method, params: { ...params, ...meta } });
      }),
    notify: (method, params) => transmit({ method, params }),
    receive: (line) => {
      let message: unknown;
      try {
        message = JSON.parse(line);
      } catch {
        return onStray('a line that is not a message');
      }
      // A batch, as in the version 2025-03-26.
      if (Array.isArray(message)) for (const one of message) receiveOne(one);
      else receiveOne(message);
    },
    fail: (why) => rejectAll(why),
    end: (why, origin) => {
      ended ??= { why, origin };
      rejectAll(ended.why, ended.origin);
    },
  };
}

/** Error codes of JSON-RPC. */
const METHOD_NOT_FOUND = -32_601;
const INTERNAL_ERROR = -32_603;

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : 'the request failed';
  return text.slice(0, MCP_LIMITS.maxErrorText);
}

/** The server's error. Its data may be anything, so only the message counts. */
function errorOf(error: unknown): Error {
  const { message } = isRecord(error) ? error : {};
  const text =
    typeof message === 'string' ? message : 'the server reported an error without a message';
  const made = new Error(text.slice(0, MCP_LIMITS.maxErrorText));
  made.name = 'McpError';
  return made;
}
