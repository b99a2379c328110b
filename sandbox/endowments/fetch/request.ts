import { makeAbortPair } from '../abort.js';
import { makeBrand, type Brand } from '../brand.js';
import type { EndowmentCapabilities } from '../endowment.js';
import { perCompartment } from '../per-compartment.js';
import { demandArguments } from '../web-idl.js';
import { isLocked, isUsed, splitBody, takeBody } from './body.js';
import { bodyClass, bodyOwners } from './body-class.js';
import { headerStates, makeHeaders } from './headers.js';
import { readRequest, type RequestSpec } from './request-spec.js';

interface RequestState {
  readonly url: string;
  readonly method: string;
  /** A Headers object. Plugin code may still change it. */
  readonly headers: object;
  readonly redirect: RequestSpec['redirect'];
  signal: object | undefined;
}

const requests: Brand<RequestState> = makeBrand<RequestState>('Request');

/** Reads the arguments of `fetch` or `new Request`: see `readRequest`. */
export function toRequestSpec(
  input: unknown,
  init: unknown,
  capabilities: EndowmentCapabilities,
): RequestSpec {
  const base = requests.read(input);
  if (base === undefined) return readRequest(input, init, undefined, capabilities);
  const owner = bodyOwners.demand(input);
  const spec = {
    ...base,
    headers: [...headerStates.demand(base.headers).list],
    body: undefined,
  };
  const spend = (): RequestSpec['body'] => {
    if (owner.body === undefined) return undefined;
    const [taken, spent] = takeBody(owner.body);
    owner.body = spent;
    return taken;
  };
  return readRequest(input, init, { spec, takeBody: spend }, capabilities);
}

/** The compartment's `Request`. Members without meaning outside a browser have its defaults. */
export const requestClass: (capabilities: EndowmentCapabilities) => object = perCompartment(
  (capabilities) => {
    class Request extends bodyClass(capabilities) {
      constructor(input: unknown, init?: unknown) {
        super();
        demandArguments(arguments.length, 1, 'Request');
        give(this, toRequestSpec(input, init, capabilities));
      }

      get url(): string {
        return requests.demand(this).url;
      }
      get method(): string {
        return requests.demand(this).method;
      }
      get headers(): object {
        return requests.demand(this).headers;
      }
      get redirect(): string {
        return requests.demand(this).redirect;
      }
      get signal(): object {
        const state = requests.demand(this);
        state.signal ??= makeAbortPair(capabilities).signal;
        return state.signal;
      }
      get cache(): string {
        return 'default';
      }
      get credentials(): string {
        return 'same-origin';
      }
      get destination(): string {
        return '';
      }
      get duplex(): string {
        return 'half';
      }
      get integrity(): string {
        return '';
      }
      get keepalive(): boolean {
        return false;
      }
      get mode(): string {
        return 'cors';
      }
      get referrer(): string {
        return 'about:client';
      }
      get referrerPolicy(): string {
        return '';
      }

      clone(): object {
        const state = requests.demand(this);
        const owner = bodyOwners.demand(this);
        const copy: object = Object.create(Request.prototype);
        const headers = [...headerStates.demand(state.headers).list];
        if (owner.body === undefined) {
          give(copy, { ...state, headers, body: undefined });
          return copy;
        }
        if (isUsed(owner.body) || isLocked(owner.body)) {
          throw new TypeError('The body has been read already');
        }
        const [own, body] = splitBody(owner.body);
        owner.body = own;
        give(copy, { ...state, headers, body });
        return copy;
      }

      get [Symbol.toStringTag](): string {
        return 'Request';
      }
    }

    const give = (request: object, { body, headers: list, ...rest }: RequestSpec): void => {
      const headers = makeHeaders(list, false);
      requests.give(request, { ...rest, headers });
      bodyOwners.give(request, { body, headers });
    };

    return Request;
  },
);
