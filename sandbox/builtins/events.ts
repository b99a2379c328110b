import PlainEmitter from 'events/events.js';
import { offer } from './denied.js';

/** The `EventEmitter` of the package `events`, with what Node has since added. */
export const EventEmitter: typeof PlainEmitter = PlainEmitter;

type Name = string | symbol;

const errorMonitor: unique symbol = Symbol('events.errorMonitor');
const { emit } = PlainEmitter.prototype;

Object.assign(PlainEmitter.prototype, {
  emit(this: PlainEmitter, name: Name, ...args: unknown[]): boolean {
    if (name === 'error') {
      Reflect.apply(emit, this, [errorMonitor, ...args]);
      if (!(args[0] instanceof Error) && this.listenerCount(name) === 0) throw unhandled(args[0]);
    }
    return Reflect.apply(emit, this, [name, ...args]);
  },
});

/** The package's message shows only errors. */
function unhandled(value: unknown): Error {
  const error = new Error(`Unhandled error. (${String(value)})`);
  return Object.assign(error, { code: 'ERR_UNHANDLED_ERROR', context: value });
}

// With them, a class would begin each emitter by calling their setters once packages share it.
for (const name of ['_events', '_eventsCount', '_maxListeners']) {
  Reflect.deleteProperty(PlainEmitter.prototype, name);
}

/** Those of event targets, such as abort signals, which warn of nothing here. */
const targetLimits = new WeakMap<object, number>();

/** Called before packages share the class: the limit, which only decides about a warning, stays as it is. */
export function beforeSharing(): void {
  // Those of streams have fixed this class already.
  if (Object.isFrozen(PlainEmitter)) return;
  const { defaultMaxListeners } = PlainEmitter;
  Object.defineProperty(PlainEmitter, 'defaultMaxListeners', {
    get: () => defaultMaxListeners,
    set: () => {},
  });
}

export const builtin: object = offer(
  'events',
  Object.assign(PlainEmitter, {
    errorMonitor,
    captureRejectionSymbol: Symbol.for('nodejs.rejection'),
    captureRejections: false,
    // An event target does not say which listeners it has.
    getEventListeners: (emitter: PlainEmitter | object, name: Name): unknown[] =>
      isEmitter(emitter) ? emitter.listeners(name) : [],
    setMaxListeners: (count: number, ...emitters: (PlainEmitter | object)[]): void => {
      if (emitters.length === 0) PlainEmitter.defaultMaxListeners = count;
      for (const emitter of emitters) {
        if (isEmitter(emitter)) emitter.setMaxListeners(count);
        else targetLimits.set(emitter, count);
      }
    },
    getMaxListeners: (emitter: PlainEmitter | object): number =>
      isEmitter(emitter)
        ? emitter.getMaxListeners()
        : (targetLimits.get(emitter) ?? PlainEmitter.defaultMaxListeners),
  }),
);

function isEmitter(value: object): value is PlainEmitter {
  return 'setMaxListeners' in value;
}
