import { FROM_GUEST } from '../../sandbox/wire/limits.js';
import { makePeer, type Peer } from '../../sandbox/wire/peer.js';
import type { Service } from '../../sandbox/wire/service.js';
import { makeUtf8 } from '../../sandbox/wire/utf8.js';
import type { GuestEnd } from './end.js';

export interface GuestWireSpec {
  readonly write: (bytes: Uint8Array) => void;
  readonly kill: (end: GuestEnd) => void;
  /** Before anything is asked of it. */
  readonly beforeRequest: (method: string) => void;
}

/** The wire to one plugin's world inside a guest. */
export interface GuestWire {
  readonly peer: Peer;
  /** Resolves with what the guest says of itself when it is locked down. */
  readonly ready: Promise<unknown>;
  readonly asked: number;
  readonly calls: number;
  serve(service: Service): void;
}

const utf8 = makeUtf8(Buffer);

/** Before it is anybody's guest it may say that it is ready, and nothing else. */
const NOBODY: Service = {
  request: (method) => {
    throw new Error(`a blank guest asked for ${method}`);
  },
  notice: () => {},
};

export function makeGuestWire(spec: GuestWireSpec): GuestWire {
  let service = NOBODY;
  let becameReady: (report: unknown) => void = () => {};
  let asked = 0;
  let calls = 0;
  const ready = new Promise<unknown>((resolve) => {
    becameReady = resolve;
  });
  const wire = makePeer({
    write: spec.write,
    utf8,
    allocate: (bytes) => Buffer.allocUnsafe(bytes),
    soon: queueMicrotask,
    limits: FROM_GUEST,
    now: () => performance.now(),
    service: {
      request: (method, params, request) => service.request(method, params, request),
      notice: (method, params) => {
        if (method === 'ready') becameReady(params);
        else service.notice(method, params);
      },
    },
    onViolation: ({ message }) => {
      spec.kill({ cause: 'protocol', detail: `it broke the protocol: ${message}` });
    },
  });
  const count = (method: string): void => {
    // That it is asked what it offers is often its own doing, and no reason to let it run on.
    if (method !== 'describe') asked += 1;
    if (method === 'call' || method === 'hook') calls += 1;
    spec.beforeRequest(method);
  };
  return {
    ready,
    get asked() {
      return asked;
    },
    get calls() {
      return calls;
    },
    serve: (next) => {
      service = next;
    },
    peer: {
      ...wire,
      ask: (method, params, maxAnswerBytes) => {
        count(method);
        return wire.ask(method, params, maxAnswerBytes);
      },
      request: (method, params, waiter) => {
        count(method);
        return wire.request(method, params, waiter);
      },
      get openRequests() {
        return wire.openRequests;
      },
      get strayAnswers() {
        return wire.strayAnswers;
      },
    },
  };
}
