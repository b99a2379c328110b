import { Answering } from './answering.js';
import { makeAsking } from './asking.js';
import { makeFailure, WireError, WireViolation } from './failure.js';
import { makeFrameReader } from './framing.js';
import type { WireLimits } from './limits.js';
import type { Json, Message } from './messages.js';
import { makeOutbox, type OutboxSpec } from './outbox.js';
import { parseMessage } from './parse.js';
import { type Asked, jsonText, type Service, type Waiter } from './service.js';
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
  /** The other side broke the protocol. The peer closes with `violation`, unless this closes it. */
  readonly onViolation: (violation: Error) => void;
}

/**
 * One end of the pipe. Requests, notices and streams go both ways at once; everything said in one
 * job leaves in one write. `receive` never throws.
 */
export interface Peer {
  receive(bytes: Uint8Array): void;
  /**
   * Asks the other side. An answer of more than `maxAnswerBytes` of JSON, where that is given, counts
   * as a failure of code `RESULT_TOO_LARGE`.
   */
  ask(method: string, params: unknown, maxAnswerBytes?: number): Asked;
  /** The same for who can do without a promise. Answers with the request's id. */
  request(method: string, params: unknown, waiter: Waiter): number;
  /** Tells the other side to give up that request. The answer may still come. */
  cancel(id: number, why: string): void;
  notify(method: string, params: unknown): void;
  openStream(source: ByteSource): number;
  acceptStream(streamId: number): ByteSource;
  /** Ends every request and stream with `error`. Nothing is sent or read after it. */
  close(error: Error): void;
  readonly openRequests: number;
  /** Answers that nobody had asked for, or that came after their request had ended. */
  readonly strayAnswers: number;
}

type Unasked = Exclude<Message, { readonly t: 'request' | 'reply' | 'failure' }>;

/** What a reply has round its value. */
const ENVELOPE_BYTES = 64;

export function makePeer(spec: PeerSpec): Peer {
  const { utf8, limits, service } = spec;
  const outbox = makeOutbox(spec);
  const countUnasked = makeUnaskedMeter(limits, spec.now);
  const asking = makeAsking();
  const answering = new Map<number, Answering>();
  /** Characters of the requests that are being answered. */
  let heldCharacters = 0;
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

  const answered = (id: number): boolean => {
    const request = answering.get(id);
    heldCharacters -= request?.characters ?? 0;
    request?.release();
    return answering.delete(id);
  };
  const reply = (id: number, value: unknown): void => {
    // Made first: a value that is no JSON throws here, and the request is then failed instead.
    const text = jsonText(value);
    if (answered(id)) outbox.message(`{"t":"reply","i":${id},"v":${text}}`);
  };
  const fail = (id: number, error: unknown): void => {
    if (!answered(id)) return;
    say({ t: 'failure', i: id, e: (service.describe ?? describeFailure)(error) });
  };

  const replyOrFail = (id: number, value: unknown): void => {
    try {
      reply(id, value);
    } catch (error) {
      fail(id, error);
    }
  };

  const answer = (id: number, method: string, params: unknown, characters: number): void => {
    if (answering.has(id)) throw new WireViolation(`request ${id} was already open`);
    if (answering.size >= limits.maxOpenRequests) {
      throw new WireViolation(`more than ${limits.maxOpenRequests} requests at once`);
    }
    heldCharacters += characters;
    if (heldCharacters > limits.maxOpenRequestCharacters) {
      throw new WireViolation(`requests of ${heldCharacters} characters at once`);
    }
    const incoming = new Answering(characters);
    answering.set(id, incoming);
    let value: unknown;
    try {
      value = service.request(method, params, incoming);
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

  const settle = (id: number, characters: number): Waiter | undefined => {
    const waiter = asking.end(id);
    if (waiter === undefined) {
      strayAnswers += 1;
      countUnasked(characters);
    }
    return waiter;
  };

  const hearAnswer = (id: number, value: Json, characters: number): void => {
    const waiter = settle(id, characters);
    // Characters are bytes at least, so that no honest answer is refused here.
    if (waiter === undefined || characters <= waiter.maxAnswerBytes + ENVELOPE_BYTES) {
      waiter?.answered(value);
      return;
    }
    const words = `the answer is larger than ${waiter.maxAnswerBytes} bytes of JSON`;
    waiter.failed(new WireError(makeFailure('Error', words, { code: 'RESULT_TOO_LARGE' })));
  };

  const take = (message: Message, characters: number): void => {
    switch (message.t) {
      case 'request':
        return answer(message.i, message.m, message.p, characters);
      case 'reply':
        return hearAnswer(message.i, message.v, characters);
      case 'failure':
        return settle(message.i, characters)?.failed(new WireError(message.e));
      default:
        countUnasked(characters);
        return hear(message);
    }
  };

  const request = (method: string, params: unknown, waiter: Waiter): number => {
    if (closed !== undefined) {
      waiter.failed(closed);
      return 0;
    }
    // Made first: params that are no JSON throw here, and nothing was asked.
    const text = `"m":${jsonText(method)},"p":${jsonText(params)}}`;
    const id = asking.begin(waiter);
    outbox.message(`{"t":"request","i":${id},${text}`);
    return id;
  };
  const cancel = (id: number, why: string): void => {
    if (asking.has(id)) say({ t: 'cancel', i: id, why });
  };

  const hear = (message: Unasked): void => {
    switch (message.t) {
      case 'cancel':
        return answering.get(message.i)?.cancel(message.why);
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
    asking.close(error);
    for (const one of answering.values()) one.cancel(error.message);
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
        // First, so that whoever knows what ended here closes with those words.
        spec.onViolation(violation);
        close(violation);
      }
    },
    ask: (method, params, maxAnswerBytes = Infinity) => {
      let id = 0;
      const promise = new Promise<Json>((resolve, reject) => {
        const waiter = { maxAnswerBytes, answered: resolve, failed: reject };
        id = request(method, params, waiter);
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
      return asking.open;
    },
    get strayAnswers() {
      return strayAnswers;
    },
  };
}
