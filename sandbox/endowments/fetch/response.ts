import { makeBrand, type Brand } from '../brand.js';
import type { EndowmentCapabilities } from '../endowment.js';
import { perCompartment } from '../per-compartment.js';
import { demandArguments, member, toByteText, toOptions, toScalarText } from '../web-idl.js';
import { type Body, isLocked, isUsed, readBody, splitBody } from './body.js';
import { bodyClass, bodyOwners } from './body-class.js';
import { addDefault, type HeaderList, headerStates, makeHeaders, readHeaders } from './headers.js';

interface ResponseState {
  readonly type: 'basic' | 'default' | 'error';
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly redirected: boolean;
  readonly headers: object;
}

const responses: Brand<ResponseState> = makeBrand<ResponseState>('Response');

/** A response from the network. */
export interface ResponseSpec {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly redirected: boolean;
  readonly headers: HeaderList;
  readonly body: Body | undefined;
}

export interface ResponseClasses {
  readonly Response: object;
  readonly makeResponse: (spec: ResponseSpec) => object;
}

/** The compartment's `Response`. */
export const responseClasses: (capabilities: EndowmentCapabilities) => ResponseClasses =
  perCompartment((capabilities) => {
    class Response extends bodyClass(capabilities) {
      constructor(body?: unknown, init?: unknown) {
        super();
        const { status, statusText, headers } = readInit(init);
        if (body === undefined || body === null) {
          give(this, { ...DEFAULTS, status, statusText }, makeHeaders(headers, false), undefined);
          return;
        }
        if (BODILESS.has(status)) throw new TypeError(`A response of ${status} has no body`);
        const read = readBody(body, capabilities.text);
        const list =
          read.type === undefined ? headers : addDefault(headers, 'content-type', read.type);
        give(this, { ...DEFAULTS, status, statusText }, makeHeaders(list, false), read.body);
      }

      static error(): object {
        const response: object = Object.create(Response.prototype);
        const state = { ...DEFAULTS, type: 'error', status: 0 } as const;
        give(response, state, makeHeaders([], true), undefined);
        return response;
      }

      static json(data?: unknown, init?: unknown): object {
        demandArguments(arguments.length, 1, 'Response.json');
        // Typed as a string, but JSON.stringify returns undefined for values without JSON.
        const text: unknown = JSON.stringify(data);
        if (typeof text !== 'string') throw new TypeError('The data has no JSON');
        const { status, statusText, headers } = readInit(init);
        const list = addDefault(headers, 'content-type', 'application/json');
        const response: object = Object.create(Response.prototype);
        const { body } = readBody(text, capabilities.text);
        give(response, { ...DEFAULTS, status, statusText }, makeHeaders(list, false), body);
        return response;
      }

      static redirect(url: unknown, status: unknown = 302): object {
        const text = toScalarText(url);
        const location = capabilities.url.parse(text)?.href;
        if (location === undefined) throw new TypeError(`Failed to parse URL from ${text}`);
        const code = Number(status);
        if (!REDIRECTS.has(code)) throw new RangeError(`${code} is not a status of a redirect`);
        const response: object = Object.create(Response.prototype);
        const headers = makeHeaders([['location', location]], true);
        give(response, { ...DEFAULTS, status: code }, headers, undefined);
        return response;
      }

      get type(): string {
        return responses.demand(this).type;
      }
      get url(): string {
        return responses.demand(this).url;
      }
      get status(): number {
        return responses.demand(this).status;
      }
      get statusText(): string {
        return responses.demand(this).statusText;
      }
      get redirected(): boolean {
        return responses.demand(this).redirected;
      }
      get ok(): boolean {
        const { status } = responses.demand(this);
        return status >= 200 && status <= 299;
      }
      get headers(): object {
        return responses.demand(this).headers;
      }

      clone(): object {
        const { headers, ...state } = responses.demand(this);
        const owner = bodyOwners.demand(this);
        const { list, fixed } = headerStates.demand(headers);
        const copy: object = Object.create(Response.prototype);
        if (owner.body === undefined) {
          give(copy, state, makeHeaders([...list], fixed), undefined);
          return copy;
        }
        if (isUsed(owner.body) || isLocked(owner.body)) {
          throw new TypeError('The body has been read already');
        }
        const [own, body] = splitBody(owner.body);
        owner.body = own;
        give(copy, state, makeHeaders([...list], fixed), body);
        return copy;
      }

      get [Symbol.toStringTag](): string {
        return 'Response';
      }
    }

    return {
      Response,
      makeResponse: ({ headers, body, ...state }) => {
        const response: object = Object.create(Response.prototype);
        give(response, { type: 'basic', ...state }, makeHeaders(headers, true), body);
        return response;
      },
    };
  });

function give(
  response: object,
  state: Omit<ResponseState, 'headers'>,
  headers: object,
  body: Body | undefined,
): void {
  responses.give(response, { ...state, headers });
  bodyOwners.give(response, { body, headers });
}

const DEFAULTS: Omit<ResponseState, 'headers'> = {
  type: 'default',
  url: '',
  status: 200,
  statusText: '',
  redirected: false,
};
const BODILESS: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function readInit(init: unknown): {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderList;
} {
  const given = toOptions(init, 'init argument of a response');
  const status = member(given, 'status');
  const code = status === undefined ? 200 : Math.trunc(Number(status));
  if (!(code >= 200 && code <= 599)) throw new RangeError('The status is not between 200 and 599');
  const text = member(given, 'statusText');
  const statusText = text === undefined ? '' : toByteText(text);
  if (/[^\t\x20-\x7e\x80-\xff]/.test(statusText)) throw new TypeError('Invalid status text');
  return { status: code, statusText, headers: readHeaders(member(given, 'headers')) };
}
