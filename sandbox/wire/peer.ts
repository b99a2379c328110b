import {
  IncomingCall,
  makePendingRequests,
  type SentRequest,
  jsonText,
  type Service,
  type ResponseHandler,
} from './service.js';
import { makeFailure, WireError, WireViolation } from './failure.js';
import { makeFrameReader } from './framing.js';
import type { WireLimits } from './limits.js';
import type { Json, Message } from './messages.js';
import { isCall } from './methods.js';
import { makeOutbox, type OutboxSpec } from './outbox.js';
import { parseMessage } from './parse.js';
import {
  type ByteSource,
  describeFailure,
  makeStreamReceiver,
  makeStreamSender,
} from './streams.js';
import { makeUnsolicitedMeter } from './unsolicited.js';

export interface PeerSpec extends OutboxSpec {
  readonly limits: WireLimits;
  readonly service: Service;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Called if the other side broke the protocol. The peer then closes, unless this closes it. */
  readonly onViolation: (violation: Error) => void;
}

/**
 * One end of the pipe. Requests, notices and streams go both ways. The messages of one job leave in
 * one write. `receive` never throws.
 */
export interface Peer {
  receive(bytes: Uint8Array): void;
  /**
   * Sends a request. An answer of more than `maxAnswerBytes` of JSON counts as a failure of code
   * `RESULT_TOO_LARGE`.
   */
  ask(method: string, params: unknown, maxAnswerBytes?: number): SentRequest;
  /** The same without a promise. Returns the request's id. */
  request(method: string, params: unknown, handler: ResponseHandler): number;
  /** Tells the other side that the request was cancelled. The answer may still come. */
  cancel(id: number, why: string): void;
  notify(method: string, params: unknown): void;
  openStream(source: ByteSource): number;
  acceptStream(streamId: number): ByteSource;
  /** Ends every request and stream with `error`. Nothing is sent or read afterwards. */
  close(error: Error): void;
  /** Requests of this side that are not answered. */
  readonly openRequests: number;
  /** Those of them that were not cancelled. */
  readonly liveRequests: number;
  /** Those of the live requests that run a plugin's code for a caller. */
  readonly liveCalls: number;
  /** Resolves as soon as this side has no live request. */
  whenIdle(): Promise<void>;
  /** Answers without an open request. */
  readonly strayAnswers: number;
}

type Unsolicited = Exclude<Message, { readonly t: 'request' | 'reply' | 'failure' }>;

/** Bytes of a reply around its value. */
const ENVELOPE_BYTES = 64;

export function makePeer(spec: PeerSpec): Peer {
  const { utf8, limits, service } = spec;
  const outbox = makeOutbox(spec);
  const countUnsolicited = makeUnsolicitedMeter(limits, spec.now);
  const pending = makePendingRequests();
  const incoming = new Map<number, IncomingCall>();
  /** Characters of the requests that are not answered yet. */
  let openCharacters = 0;
  let strayAnswers = 0;
  let closed: Error | undefined;
  const send = (message: Message): void => {
    if (closed === undefined) outbox.message(JSON.stringify(message));
  };
  const outlet = {
    message: send,
    chunk: (id: number, bytes: Uint8Array) => {
      if (closed === undefined) outbox.chunk(id, bytes);
    },
  };
  const sender = makeStreamSender(outlet);
  const receiver = makeStreamReceiver(outlet, limits);

  const answered = (id: number): boolean => {
    const request = incoming.get(id);
    openCharacters -= request?.characters ?? 0;
    request?.release();
    return incoming.delete(id);
  };
  const reply = (id: number, value: unknown): void => {
    // Computed first: a value without JSON throws here, and the request fails instead.
    const text = jsonText(value);
    if (answered(id)) outbox.message(`{"t":"reply","i":${id},"v":${text}}`);
  };
  const fail = (id: number, error: unknown): void => {
    if (!answered(id)) return;
    send({ t: 'failure', i: id, e: (service.describe ?? describeFailure)(error) });
  };
  const replyOrFail = (id: number, value: unknown): void => {
    try {
      reply(id, value);
    } catch (error) {
      fail(id, error);
    }
  };

  const answer = (id: number, method: string, params: unknown, characters: number): void => {
    // guard: request-id-unused
    if (incoming.has(id)) throw new WireViolation(`request ${id} was already open`);
    // guard: open-request-cap
    if (incoming.size >= limits.maxOpenRequests) {
      throw new WireViolation(`more than ${limits.maxOpenRequests} requests at once`);
    }
    openCharacters += characters;
    // guard: open-request-size-cap
    if (openCharacters > limits.maxOpenRequestCharacters) {
      throw new WireViolation(`requests of ${openCharacters} characters at once`);
    }
    const call = new IncomingCall(id, characters);
    incoming.set(id, call);
    let value: unknown;
    try {
      value = service.request(method, params, call);
    } catch (error) {
      fail(id, error);
      return;
    }
    if (value instanceof Promise) {
      value.then(
        (settled) => replyOrFail(id, settled),
        (error: unknown) => fail(id, error),
      );
    } else replyOrFail(id, value);
  };

  const settle = (id: number, characters: number): ResponseHandler | undefined => {
    const handler = pending.end(id);
    if (handler === undefined) {
      strayAnswers += 1;
      countUnsolicited(characters);
    }
    return handler;
  };

  const handleReply = (id: number, value: Json, characters: number): void => {
    const handler = settle(id, characters);
    // Bytes are at least as many as characters, so that no honest answer is refused here.
    if (handler === undefined || characters <= handler.maxAnswerBytes + ENVELOPE_BYTES) {
      handler?.answered(value);
      return;
    }
    const text = `the answer is larger than ${handler.maxAnswerBytes} bytes of JSON`;
    handler.failed(new WireError(makeFailure('Error', text, { code: 'RESULT_TOO_LARGE' })));
  };

  const dispatch = (message: Message, characters: number): void => {
    switch (message.t) {
      case 'request':
        return answer(message.i, message.m, message.p, characters);
      case 'reply':
        return handleReply(message.i, message.v, characters);
      case 'failure':
        return settle(message.i, characters)?.failed(new WireError(message.e));
      default:
        countUnsolicited(characters);
        return handleUnsolicited(message);
    }
  };

  const request = (method: string, params: unknown, handler: ResponseHandler): number => {
    if (closed !== undefined) {
      handler.failed(closed);
      return 0;
    }
    // Computed first: params without JSON throw here, and nothing is sent.
    const text = `"m":${jsonText(method)},"p":${jsonText(params)}}`;
    const id = pending.begin(handler, isCall(method));
    outbox.message(`{"t":"request","i":${id},${text}`);
    return id;
  };
  const cancel = (id: number, why: string): void => {
    if (pending.cancel(id)) send({ t: 'cancel', i: id, why });
  };

  const handleUnsolicited = (message: Unsolicited): void => {
    switch (message.t) {
      case 'cancel':
        return incoming.get(message.i)?.cancel(message.why);
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
    pending.close(error);
    for (const one of incoming.values()) one.cancel(error.message);
    incoming.clear();
    sender.close(error.message);
    receiver.close(error);
  };

  const read = makeFrameReader(utf8, limits, {
    message: (text) => {
      if (closed === undefined) dispatch(parseMessage(text, limits), text.length);
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
        // First, so that its handler can close the peer with a better error.
        spec.onViolation(violation);
        close(violation);
      }
    },
    ask: (method, params, maxAnswerBytes = Infinity) => {
      let id = 0;
      const promise = new Promise<Json>((resolve, reject) => {
        const handler = { maxAnswerBytes, answered: resolve, failed: reject };
        id = request(method, params, handler);
      });
      return { answer: promise, cancel: (why) => cancel(id, why) };
    },
    request,
    cancel,
    notify: (method, params) => {
      if (closed !== undefined) return;
      outbox.message(`{"t":"notice","m":${jsonText(method)},"p":${jsonText(params)}}`);
    },
    openStream: (source) => sender.open(source),
    acceptStream: (id) => receiver.accept(id),
    close,
    get openRequests() {
      return pending.open;
    },
    get liveRequests() {
      return pending.live;
    },
    get liveCalls() {
      return pending.liveCalls;
    },
    whenIdle: pending.whenIdle,
    get strayAnswers() {
      return strayAnswers;
    },
  };
}
