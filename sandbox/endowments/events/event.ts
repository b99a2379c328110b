import { makeBrand, type Brand } from '../brand.js';
import { demandArguments, member, toOptions, toText } from '../web-idl.js';

export interface EventState {
  readonly type: string;
  readonly bubbles: boolean;
  readonly cancelable: boolean;
  readonly composed: boolean;
  /** Whether the platform sent the event, and not plugin code. */
  readonly trusted: boolean;
  target: object | null;
  dispatching: boolean;
  /** The running listener is passive: it may not call `preventDefault`. */
  passive: boolean;
  stopped: boolean;
  stoppedNow: boolean;
  canceled: boolean;
}

export const events: Brand<EventState> = makeBrand<EventState>('Event');

/**
 * The web's `Event`, for targets without a tree: it does not bubble. `timeStamp` is always 0,
 * because it would be a clock.
 */
export class Event {
  constructor(type: unknown, options?: unknown) {
    demandArguments(arguments.length, 1, 'Event');
    const given = toOptions(options, 'options argument of Event');
    events.give(this, {
      ...FRESH,
      type: toText(type),
      bubbles: Boolean(member(given, 'bubbles')),
      cancelable: Boolean(member(given, 'cancelable')),
      composed: Boolean(member(given, 'composed')),
    });
  }

  get type(): string {
    return events.demand(this).type;
  }
  get target(): object | null {
    return events.demand(this).target;
  }
  get srcElement(): object | null {
    return events.demand(this).target;
  }
  get currentTarget(): object | null {
    const state = events.demand(this);
    return state.dispatching ? state.target : null;
  }
  get eventPhase(): number {
    return events.demand(this).dispatching ? AT_TARGET : 0;
  }
  get bubbles(): boolean {
    return events.demand(this).bubbles;
  }
  get cancelable(): boolean {
    return events.demand(this).cancelable;
  }
  get composed(): boolean {
    return events.demand(this).composed;
  }
  get isTrusted(): boolean {
    return events.demand(this).trusted;
  }
  get timeStamp(): number {
    events.demand(this);
    return 0;
  }
  get defaultPrevented(): boolean {
    return events.demand(this).canceled;
  }
  get returnValue(): boolean {
    return !events.demand(this).canceled;
  }
  set returnValue(value: unknown) {
    if (!value) cancel(events.demand(this));
  }
  get cancelBubble(): boolean {
    return events.demand(this).stopped;
  }
  set cancelBubble(value: unknown) {
    if (value) events.demand(this).stopped = true;
  }

  composedPath(): object[] {
    const { dispatching, target } = events.demand(this);
    return dispatching && target !== null ? [target] : [];
  }
  stopPropagation(): void {
    events.demand(this).stopped = true;
  }
  stopImmediatePropagation(): void {
    const state = events.demand(this);
    state.stopped = true;
    state.stoppedNow = true;
  }
  preventDefault(): void {
    cancel(events.demand(this));
  }

  get [Symbol.toStringTag](): string {
    return 'Event';
  }
}

/** An event that our code sends. */
export function makeEvent(type: string): object {
  const event: object = Object.create(Event.prototype);
  events.give(event, { ...FRESH, type, trusted: true });
  return event;
}

function cancel(state: EventState): void {
  if (state.cancelable && !state.passive) state.canceled = true;
}

const AT_TARGET = 2;

const FRESH: Omit<EventState, 'type'> = {
  bubbles: false,
  cancelable: false,
  composed: false,
  trusted: false,
  target: null,
  dispatching: false,
  passive: false,
  stopped: false,
  stoppedNow: false,
  canceled: false,
};
