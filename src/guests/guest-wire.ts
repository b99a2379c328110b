import { FROM_GUEST } from '../../sandbox/wire/limits.js';
import { makePeer, type Peer } from '../../sandbox/wire/peer.js';
import type { Service } from '../../sandbox/wire/service.js';
import { makeUtf8 } from '../../sandbox/wire/framing.js';
import type { GuestEnd } from './end.js';
import { countHostWaits, type HostWaits } from './host-waits.js';

export interface GuestWireSpec {
  readonly write: (bytes: Uint8Array) => void;
  readonly kill: (end: GuestEnd) => void;
  /** Called before each request. */
  readonly beforeRequest: (method: string) => void;
  /** Resumes the guest if it is suspended. */
  readonly resume: () => void;
  /** The guest says that it ends itself in a moment. Absent in a guest that other plugins are in, too. */
  readonly onEnding?: () => void;
}

/** The wire to one plugin's compartment in a guest. */
export interface GuestWire {
  readonly peer: Peer;
  /** Resolves with the guest's report about itself when it is locked down. */
  readonly ready: Promise<unknown>;
  readonly requestCount: number;
  readonly callCount: number;
  readonly hostWaits: HostWaits;
  serve(service: Service): void;
  /** Answers a synchronous request of this plugin. */
  readonly requestNow: NonNullable<Service['requestNow']>;
}

const utf8 = makeUtf8(Buffer);

const RESOLVED: Promise<void> = Promise.resolve();

/** Node's `queueMicrotask` creates an asynchronous resource each time. */
function soon(callback: () => void): void {
  void RESOLVED.then(callback);
}

/** A standby guest may say that it is ready, and nothing else. */
const NO_SERVICE: Service = {
  request: (method) => {
    throw new Error(`a standby guest requested ${method}`);
  },
  notice: () => {},
};

export function makeGuestWire(spec: GuestWireSpec): GuestWire {
  let service = NO_SERVICE;
  let becameReady: (report: unknown) => void = () => {};
  let requestCount = 0;
  let callCount = 0;
  const ready = new Promise<unknown>((resolve) => {
    becameReady = resolve;
  });
  const wire = makePeer({
    write: spec.write,
    utf8,
    allocate: (bytes) => Buffer.allocUnsafe(bytes),
    soon,
    limits: FROM_GUEST,
    now: () => performance.now(),
    service: {
      request: (method, params, request) => {
        hostWaits.began();
        try {
          const answer = service.request(method, params, request);
          if (answer instanceof Promise) answer.then(hostWaits.ended, hostWaits.ended);
          else hostWaits.ended();
          return answer;
        } catch (error) {
          hostWaits.ended();
          throw error;
        }
      },
      notice: (method, params) => {
        if (method === 'ready') becameReady(params);
        else if (method === 'ending') spec.onEnding?.();
        else service.notice(method, params);
      },
    },
    onViolation: ({ message }) => {
      // guard: protocol-violation-kills
      spec.kill({ cause: 'protocol', detail: `it broke the protocol: ${message}` });
    },
  });
  const count = (method: string): void => {
    // A plugin can cause `describe` itself, and a given-up call causes `ping`: neither may extend
    // the guest's time.
    if (method !== 'describe' && method !== 'ping') requestCount += 1;
    if (method === 'call' || method === 'hook') callCount += 1;
    spec.beforeRequest(method);
  };
  const peer: Peer = {
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
    get liveRequests() {
      return wire.liveRequests;
    },
    get liveCalls() {
      return wire.liveCalls;
    },
    get strayAnswers() {
      return wire.strayAnswers;
    },
  };
  const hostWaits = countHostWaits(peer, spec.resume);
  return {
    ready,
    get requestCount() {
      return requestCount;
    },
    get callCount() {
      return callCount;
    },
    hostWaits,
    serve: (next) => {
      service = next;
    },
    requestNow: async (method, params, body) => {
      if (service.requestNow === undefined) throw new Error(`${method} is not answered here`);
      return service.requestNow(method, params, body);
    },
    peer,
  };
}
