/** Makes the signal of a request when it is first read: most plugins never look at it. */
export interface SignalSource {
  readonly signal: unknown;
}

/**
 * Gives what a plugin is told of a request a `signal`: a property of its own, made when it is read.
 * One getter serves all of them, because an object literal with a getter of its own in it costs a
 * hidden class, and every request has one.
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

/** The plugin can call this with any object; only those that we gave a signal have one. */
function signalOf(this: unknown): unknown {
  return Signalled.signalOf(this);
}

/** Answers with the object that it is given: what extends this adds private fields to it. */
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
