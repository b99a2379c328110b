import { offer } from './denied.js';

type Name = string | symbol;
type Listener = (...args: unknown[]) => void;
interface Entry {
  readonly listener: Listener;
  readonly once: boolean;
}

const entriesOf = new WeakMap<object, Map<Name, Entry[]>>();
const maxima = new WeakMap<object, number>();

class Emitter {
  static defaultMaxListeners = 10;
  static readonly errorMonitor: symbol = Symbol('events.errorMonitor');
  static readonly captureRejectionSymbol: symbol = Symbol.for('nodejs.rejection');
  static captureRejections = false;

  on(name: Name, listener: Listener): this {
    return add(this, name, listener, { once: false, first: false });
  }

  addListener(name: Name, listener: Listener): this {
    return this.on(name, listener);
  }

  once(name: Name, listener: Listener): this {
    return add(this, name, listener, { once: true, first: false });
  }

  prependListener(name: Name, listener: Listener): this {
    return add(this, name, listener, { once: false, first: true });
  }

  prependOnceListener(name: Name, listener: Listener): this {
    return add(this, name, listener, { once: true, first: true });
  }

  off(name: Name, listener: Listener): this {
    const entries = entriesFor(this, name);
    const index = entries.findLastIndex((entry) => entry.listener === listener);
    if (index < 0) return this;
    setEntries(this, name, entries.toSpliced(index, 1));
    if (name !== 'removeListener') this.emit('removeListener', name, listener);
    return this;
  }

  removeListener(name: Name, listener: Listener): this {
    return this.off(name, listener);
  }

  removeAllListeners(name?: Name): this {
    if (name === undefined) entriesOf.delete(this);
    else setEntries(this, name, []);
    return this;
  }

  emit(name: Name, ...args: unknown[]): boolean {
    const monitors = name === 'error' ? entriesFor(this, Emitter.errorMonitor) : [];
    for (const { listener } of monitors) Reflect.apply(listener, this, args);
    const entries = entriesFor(this, name);
    if (entries.length === 0) {
      if (name === 'error') throw toError(args[0]);
      return false;
    }
    for (const entry of entries) {
      if (entry.once) {
        const left = entriesFor(this, name).filter((other) => other !== entry);
        setEntries(this, name, left);
      }
      Reflect.apply(entry.listener, this, args);
    }
    return true;
  }

  listeners(name: Name): Listener[] {
    return entriesFor(this, name).map(({ listener }) => listener);
  }

  rawListeners(name: Name): Listener[] {
    return this.listeners(name);
  }

  listenerCount(name: Name, listener?: Listener): number {
    const all = this.listeners(name);
    return listener === undefined ? all.length : all.filter((other) => other === listener).length;
  }

  eventNames(): Name[] {
    return [...(entriesOf.get(this)?.keys() ?? [])];
  }

  /** Kept for those who ask: nothing is printed where there are more. */
  setMaxListeners(count: number): this {
    maxima.set(this, count);
    return this;
  }

  getMaxListeners(): number {
    return maxima.get(this) ?? Emitter.defaultMaxListeners;
  }
}

/** A class that, as in Node, may also be called as a function by who inherits the old way. */
export const EventEmitter: typeof Emitter = new Proxy(Emitter, { apply: () => undefined });
Object.defineProperty(Emitter.prototype, 'constructor', { value: EventEmitter, writable: true });

function entriesFor(emitter: object, name: Name): Entry[] {
  return entriesOf.get(emitter)?.get(name) ?? [];
}

function setEntries(emitter: object, name: Name, entries: Entry[]): void {
  const all = entriesOf.get(emitter) ?? new Map<Name, Entry[]>();
  entriesOf.set(emitter, all);
  if (entries.length === 0) all.delete(name);
  else all.set(name, entries);
}

function add<This extends Emitter>(
  emitter: This,
  name: Name,
  listener: Listener,
  { once: onlyOnce, first }: { readonly once: boolean; readonly first: boolean },
): This {
  if (typeof listener !== 'function') {
    throw Object.assign(new TypeError('The "listener" argument must be of type function.'), {
      code: 'ERR_INVALID_ARG_TYPE',
    });
  }
  if (entriesFor(emitter, 'newListener').length > 0) emitter.emit('newListener', name, listener);
  const entries = entriesFor(emitter, name);
  const entry = { listener, once: onlyOnce };
  setEntries(emitter, name, first ? [entry, ...entries] : [...entries, entry]);
  return emitter;
}

function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(`Unhandled error. (${String(value)})`);
}

/** The arguments of the next event of that name; rejects where an error comes first. */
function once(emitter: Emitter, name: Name): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const onError = (error: unknown): void => {
      emitter.off(name, onEvent);
      reject(error);
    };
    const onEvent = (...args: unknown[]): void => {
      emitter.off('error', onError);
      resolve(args);
    };
    emitter.once(name, onEvent);
    if (name !== 'error') emitter.once('error', onError);
  });
}

export const builtin: object = offer(
  'events',
  Object.assign(EventEmitter, {
    EventEmitter,
    once,
    listenerCount: (emitter: Emitter, name: Name): number => emitter.listenerCount(name),
    getEventListeners: (emitter: Emitter, name: Name): Listener[] => emitter.listeners(name),
    setMaxListeners: (): void => undefined,
  }),
);
