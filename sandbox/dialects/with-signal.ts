/** Creates the signal of a request on first read, because most plugins never read it. */
export interface SignalSource {
  readonly signal: unknown;
}

/**
 * Adds an own property `signal` to a request's context. All contexts share one getter: a getter in
 * an object literal would create a hidden class for every request.
 */
export function withSignal(context: object, source: SignalSource): object {
  signalProperty ??= harden({
    get: signalOf,
    enumerable: true,
    configurable: true,
  });
  return Object.defineProperty(new Signalled(context, source), 'signal', signalProperty);
}

let signalProperty: PropertyDescriptor | undefined;

/** The plugin can call this on any object. Only objects of `withSignal` have a signal. */
function signalOf(this: unknown): unknown {
  return Signalled.signalOf(this);
}

/** Returns its argument as `this`, so that a subclass can add private fields to it. */
// oxlint-disable-next-line typescript/no-extraneous-class -- a function cannot be extended by types
class Given {
  constructor(object: object) {
    return object;
  }
}

class Signalled extends Given {
  readonly #source: SignalSource;
  constructor(context: object, source: SignalSource) {
    super(context);
    this.#source = source;
  }
  static signalOf(context: unknown): unknown {
    return typeof context === 'object' && context !== null && #source in context
      ? context.#source.signal
      : undefined;
  }
}
