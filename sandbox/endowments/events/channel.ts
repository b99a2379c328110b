import { makeBrand } from '../brand.js';
import { makeCloner } from '../clone.js';
import type { EndowmentCapabilities } from '../endowment.js';
import { perCompartment } from '../per-compartment.js';
import { isCallable, member, toOptions, toText } from '../web-idl.js';
import { Event } from './event.js';
import { dispatch, eventTargetClass, listen, targets } from './event-target.js';

/** Channels between two ports of one compartment. */
interface ChannelClasses {
  readonly classes: Readonly<
    Record<'MessageChannel' | 'MessagePort' | 'MessageEvent' | 'CustomEvent', object>
  >;
  /** Stops the delivery of messages. */
  readonly revoke: () => void;
}

interface PortState {
  /** The other end. Absent after either end was closed. */
  peer: object | undefined;
  started: boolean;
  readonly waiting: unknown[];
  handler: ((...args: readonly unknown[]) => unknown) | undefined;
  hasListener: boolean;
}

/** The compartment's `MessageChannel` and its events. Messages are copies. They cross in a later turn. */
export const channelClasses: (capabilities: EndowmentCapabilities) => ChannelClasses =
  perCompartment((capabilities) => {
    const EventTarget = eventTargetClass(capabilities);
    const cloneValue = makeCloner(capabilities);
    const ports = makeBrand<PortState>('MessagePort');
    const channels = makeBrand<{ readonly port1: object; readonly port2: object }>(
      'MessageChannel',
    );
    let revoked = false;
    const due: { readonly port: object; readonly data: unknown }[] = [];

    const deliverAll = (): void => {
      for (const { port, data } of due.splice(0)) {
        const state = ports.demand(port);
        if (!state.started) state.waiting.push(data);
        else if (!revoked) {
          dispatch(port, new MessageEvent('message', { data }), capabilities.reportFault);
        }
      }
    };
    const deliverLater = (port: object, data: unknown): void => {
      due.push({ port, data });
      if (due.length === 1) capabilities.clock.setTimeout(deliverAll, 0);
    };

    class MessagePort extends EventTarget {
      constructor() {
        super();
        throw new TypeError('A MessagePort comes from a MessageChannel');
      }

      postMessage(...args: readonly unknown[]): void {
        const { peer } = ports.demand(this);
        const data = cloneValue(args[0]);
        if (peer !== undefined && !revoked) deliverLater(peer, data);
      }
      start(): void {
        const state = ports.demand(this);
        if (state.started) return;
        state.started = true;
        for (const data of state.waiting.splice(0)) deliverLater(this, data);
      }
      close(): void {
        const state = ports.demand(this);
        const { peer } = state;
        state.peer = undefined;
        if (peer !== undefined) ports.demand(peer).peer = undefined;
      }
      get onmessage(): unknown {
        return ports.demand(this).handler ?? null;
      }
      set onmessage(handler: unknown) {
        const state = ports.demand(this);
        state.handler = isCallable(handler) ? handler : undefined;
        if (!state.hasListener) {
          state.hasListener = true;
          listen(this, 'message', (event) => {
            if (state.handler !== undefined) Reflect.apply(state.handler, this, [event]);
          });
        }
        this.start();
      }
      /** As in Node. They have no effect: the host decides the guest's lifetime. */
      ref(): void {
        ports.demand(this);
      }
      unref(): void {
        ports.demand(this);
      }

      get [Symbol.toStringTag](): string {
        return 'MessagePort';
      }
    }

    const makePort = (): { readonly port: object; readonly state: PortState } => {
      const port: object = Object.create(MessagePort.prototype);
      const state: PortState = {
        peer: undefined,
        started: false,
        waiting: [],
        handler: undefined,
        hasListener: false,
      };
      targets.give(port, { listeners: [] });
      ports.give(port, state);
      return { port, state };
    };

    class MessageChannel {
      constructor() {
        const [one, other] = [makePort(), makePort()];
        one.state.peer = other.port;
        other.state.peer = one.port;
        channels.give(this, { port1: one.port, port2: other.port });
      }
      get port1(): object {
        return channels.demand(this).port1;
      }
      get port2(): object {
        return channels.demand(this).port2;
      }
      get [Symbol.toStringTag](): string {
        return 'MessageChannel';
      }
    }

    return {
      classes: { MessageChannel, MessagePort, MessageEvent, CustomEvent },
      revoke: () => {
        revoked = true;
        due.length = 0;
      },
    };
  });

interface MessageState {
  readonly data: unknown;
  readonly origin: string;
  readonly lastEventId: string;
}

const messages = makeBrand<MessageState>('MessageEvent');

class MessageEvent extends Event {
  constructor(type: unknown, options?: unknown) {
    super(type, options);
    const given = toOptions(options, 'options argument of MessageEvent');
    messages.give(this, {
      data: member(given, 'data') ?? null,
      origin: toText(member(given, 'origin') ?? ''),
      lastEventId: toText(member(given, 'lastEventId') ?? ''),
    });
  }
  get data(): unknown {
    return messages.demand(this).data;
  }
  get origin(): string {
    return messages.demand(this).origin;
  }
  get lastEventId(): string {
    return messages.demand(this).lastEventId;
  }
  get source(): null {
    return null;
  }
  get ports(): readonly [] {
    return [];
  }
  override get [Symbol.toStringTag](): string {
    return 'MessageEvent';
  }
}

const details = makeBrand<{ readonly detail: unknown }>('CustomEvent');

class CustomEvent extends Event {
  constructor(type: unknown, options?: unknown) {
    super(type, options);
    const given = toOptions(options, 'options argument of CustomEvent');
    details.give(this, { detail: member(given, 'detail') ?? null });
  }
  get detail(): unknown {
    return details.demand(this).detail;
  }
  override get [Symbol.toStringTag](): string {
    return 'CustomEvent';
  }
}
