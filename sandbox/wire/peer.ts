import { WireError, WireViolation } from './failure.js';
import { makeFrameReader } from './framing.js';
import type { WireLimits } from './limits.js';
import type { Json, Message } from './messages.js';
import { makeOutbox, type OutboxSpec } from './outbox.js';
import { parseMessage } from './parse.js';
import { type Asked, type IncomingRequest, RawJson, type Service } from './service.js';
import {
  type ByteSource,
  describeFailure,
  makeStreamReceiver,
  makeStreamSender,
} from './streams.js';
import { makeUnaskedMeter } from './unasked.js';

export interface PeerSpec extends OutboxSpec {
  readonly limits: WireLimits;
  readonly service: Service;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** The other side broke the protocol. The peer is closed by then. */
  readonly onViolation: (violation: Error) => void;
}

/**
 * One end of the pipe. Requests, notices and streams go both ways at once; everything said in one
 * job leaves in one write. `receive` never throws.
 */
export interface Peer {
  receive(bytes: Uint8Array): void;
  ask(method: string, params: unknown): Asked;
  notify(method: string, params: unknown): void;
  openStream(source: ByteSource): number;
  acceptStream(streamId: number): ByteSource;
  /** Ends every request and stream with `error`. Nothing is sent or read after it. */
  close(error: Error): void;
  readonly openRequests: number;
  /** Answers that nobody had asked for, or that came after their request had ended. */
  readonly strayAnswers: number;
}

interface Pending {
  readonly resolve: (value: Json) => void;
  readonly reject: (error: Error) => void;
}

type Unasked = Exclude<Message, { readonly t: 'request' | 'reply' | 'failure' }>;

interface Answering {
  cancelled: string | undefined;
  listeners: ((why: string) => void)[] | undefined;
}

export function makePeer(spec: PeerSpec): Peer {
  const { utf8, limits, service } = spec;
  const outbox = makeOutbox(spec);
  const countUnasked = makeUnaskedMeter(limits, spec.now);
  const asked = new Map<number, Pending>();
  const answering = new Map<number, Answering>();
  let lastId = 0;
  let strayAnswers = 0;
  let closed: Error | undefined;

  const say = (message: Message): void => {
    if (closed === undefined) outbox.message(JSON.stringify(message));
  };
  const outlet = {
    message: say,
    chunk: (id: number, bytes: Uint8Array) => {
      if (closed === undefined) outbox.chunk(id, bytes);
    },
  };
  const sender = makeStreamSender(outlet);
  const receiver = makeStreamReceiver(outlet, limits);

  const reply = (id: number, value: unknown): void => {
    // Made first: a value that is no JSON throws here, and the request is then failed instead.
    const text = jsonText(value);
    if (answering.delete(id)) outbox.message(`{"t":"reply","i":${id},"v":${text}}`);
  };
  const fail = (id: number, error: unknown): void => {
    if (!answering.delete(id)) return;
    say({ t: 'failure', i: id, e: (service.describe ?? describeFailure)(error) });
  };

  const answer = (id: number, method: string, params: unknown): void => {
    if (answering.has(id)) throw new WireViolation(`request ${id} was already open`);
    if (answering.size >= limits.maxOpenRequests) {
      throw new WireViolation(`more than ${limits.maxOpenRequests} requests at once`);
    }
    const state: Answering = { cancelled: undefined, listeners: undefined };
    answering.set(id, state);
    const request: IncomingRequest = {
      get cancelled() {
        return state.cancelled;
      },
      onCancel: (listener) => {
        if (state.cancelled !== undefined) listener(state.cancelled);
        else (state.listeners ??= []).push(listener);
      },
    };
    let value: unknown;
    try {
      value = service.request(method, params, request);
    } catch (error) {
      fail(id, error);
      return;
    }
    if (value instanceof Promise) {
      value.then((settled) => reply(id, settled)).catch((error: unknown) => fail(id, error));
      return;
    }
    try {
      reply(id, value);
    } catch (error) {
      fail(id, error);
    }
  };

  const settle = (id: number, characters: number): Pending | undefined => {
    const pending = asked.get(id);
    if (pending === undefined) {
      strayAnswers += 1;
      countUnasked(characters);
    } else asked.delete(id);
    return pending;
  };

  const take = (message: Message, characters: number): void => {
    switch (message.t) {
      case 'request':
        return answer(message.i, message.m, message.p);
      case 'reply':
        return settle(message.i, characters)?.resolve(message.v);
      case 'failure':
        return settle(message.i, characters)?.reject(new WireError(message.e));
      default:
        countUnasked(characters);
        return hear(message);
    }
  };

  const hear = (message: Unasked): void => {
    switch (message.t) {
      case 'cancel': {
        const state = answering.get(message.i);
        if (state === undefined || state.cancelled !== undefined) return undefined;
        state.cancelled = message.why;
        for (const listener of state.listeners ?? []) listener(message.why);
        return undefined;
      }
      case 'notice':
        return service.notice(message.m, message.p);
      case 'credit':
        return sender.credit(message.s, message.n);
      case 'end':
        return receiver.end(message.s, message.e);
      case 'refuse':
        return sender.refuse(message.s, message.why);
    }
  };

  const close = (error: Error): void => {
    if (closed !== undefined) return;
    closed = error;
    for (const pending of asked.values()) pending.reject(error);
    asked.clear();
    for (const state of answering.values()) {
      state.cancelled ??= error.message;
      for (const listener of state.listeners ?? []) listener(error.message);
    }
    answering.clear();
    sender.close(error.message);
    receiver.close(error);
  };

  const read = makeFrameReader(utf8, limits, {
    message: (text) => {
      if (closed === undefined) take(parseMessage(text, limits), text.length);
    },
    chunk: (id, bytes) => {
      if (closed === undefined) receiver.chunk(id, bytes);
    },
  });

  return {
    receive: (bytes) => {
      if (closed !== undefined) return;
      try {
        read(bytes);
      } catch (error) {
        const violation = error instanceof Error ? error : new WireViolation(String(error));
        close(violation);
        spec.onViolation(violation);
      }
    },
    ask: (method, params) => {
      lastId += 1;
      const id = lastId;
      const promise = new Promise<Json>((resolve, reject) => {
        if (closed !== undefined) {
          reject(closed);
          return;
        }
        outbox.message(`{"t":"request","i":${id},"m":${jsonText(method)},"p":${jsonText(params)}}`);
        asked.set(id, { resolve, reject });
      });
      return {
        answer: promise,
        cancel: (why) => {
          if (asked.has(id)) say({ t: 'cancel', i: id, why });
        },
      };
    },
    notify: (method, params) => {
      if (closed !== undefined) return;
      outbox.message(`{"t":"notice","m":${jsonText(method)},"p":${jsonText(params)}}`);
    },
    openStream: (source) => sender.open(source),
    acceptStream: (id) => receiver.accept(id),
    close,
    get openRequests() {
      return asked.size;
    },
    get strayAnswers() {
      return strayAnswers;
    },
  };
}

function jsonText(value: unknown): string {
  // Typed as always a string, JSON.stringify gives undefined for undefined and for functions.
  return value instanceof RawJson ? value.text : (JSON.stringify(value) ?? 'null');
}
