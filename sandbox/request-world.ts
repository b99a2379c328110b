import type { Confinement } from './confinement.js';
import type { CallWorld, EventWorld } from './dialects/dialect.js';
import type { Json } from './wire/messages.js';
import type { IncomingRequest } from './wire/service.js';

/** Makes the signal of a request when it is first asked for: most never are. */
class RequestWorld {
  readonly #confinement: Confinement;
  readonly #request: IncomingRequest;
  #signal: unknown;

  constructor(confinement: Confinement, request: IncomingRequest) {
    this.#confinement = confinement;
    this.#request = request;
  }

  get signal(): unknown {
    if (this.#signal === undefined) {
      const { signal, abort } = this.#confinement.makeSignal();
      this.#signal = signal;
      this.#request.onCancel(abort);
    }
    return this.#signal;
  }
}

export class EventRequest extends RequestWorld implements EventWorld {
  readonly userId: string | undefined;

  constructor(confinement: Confinement, request: IncomingRequest, userId: string | undefined) {
    super(confinement, request);
    this.userId = userId;
  }
}

export class CallRequest extends RequestWorld implements CallWorld {
  readonly context: Json;
  readonly surface: string | undefined;
  readonly output: ((text: string) => void) | undefined;

  constructor(
    confinement: Confinement,
    request: IncomingRequest,
    { context, surface, output }: Pick<CallWorld, 'context' | 'surface' | 'output'>,
  ) {
    super(confinement, request);
    this.context = context;
    this.surface = surface;
    this.output = output;
  }
}
