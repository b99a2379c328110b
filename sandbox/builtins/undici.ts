import { Buffer } from './buffer.js';
import { always } from './compartment-globals.js';
import { offer } from './denied.js';
import { EventEmitter } from './events.js';
import { fetch, withWebClasses } from './fetch.js';
import { makeRequest } from './http-client.js';
import type { IncomingMessage } from './http-message.js';
import { bytesOf } from './stream-consumers.js';

type Fields = Readonly<Record<string, unknown>>;

/** What `request` resolves with: <https://undici.nodejs.org/#/docs/api/Dispatcher.md>, `ResponseData`. */
interface ResponseData {
  readonly statusCode: number;
  readonly headers: IncomingMessage['headers'];
  readonly trailers: object;
  readonly opaque: unknown;
  readonly context: object;
  readonly body: IncomingMessage;
}

class UndiciError extends Error {
  code = 'UND_ERR';

  constructor(message?: string) {
    super(message);
    this.name = 'UndiciError';
  }
}

function errorClass(name: string, code: string, otherwise: string): typeof UndiciError {
  const Named = class extends UndiciError {
    constructor(message = otherwise) {
      super(message);
      this.name = name;
      this.code = code;
    }
  };
  Object.defineProperty(Named, 'name', { value: name });
  return Named;
}

const errors = {
  UndiciError,
  AbortError: errorClass('AbortError', 'UND_ERR_ABORT', 'The operation was aborted'),
  BodyTimeoutError: errorClass('BodyTimeoutError', 'UND_ERR_BODY_TIMEOUT', 'Body Timeout Error'),
  ClientClosedError: errorClass('ClientClosedError', 'UND_ERR_CLOSED', 'The client is closed'),
  ClientDestroyedError: errorClass(
    'ClientDestroyedError',
    'UND_ERR_DESTROYED',
    'The client is destroyed',
  ),
  ConnectTimeoutError: errorClass(
    'ConnectTimeoutError',
    'UND_ERR_CONNECT_TIMEOUT',
    'Connect Timeout Error',
  ),
  HeadersTimeoutError: errorClass(
    'HeadersTimeoutError',
    'UND_ERR_HEADERS_TIMEOUT',
    'Headers Timeout Error',
  ),
  InvalidArgumentError: errorClass(
    'InvalidArgumentError',
    'UND_ERR_INVALID_ARG',
    'Invalid Argument Error',
  ),
  RequestAbortedError: errorClass('RequestAbortedError', 'UND_ERR_ABORTED', 'Request aborted'),
  ResponseStatusCodeError: errorClass(
    'ResponseStatusCodeError',
    'UND_ERR_RESPONSE_STATUS_CODE',
    'Response Status Code Error',
  ),
  SocketError: errorClass('SocketError', 'UND_ERR_SOCKET', 'Socket error'),
};

/** Options that undici 7 refuses too. */
const UNSUPPORTED = ['throwOnError', 'maxRedirections', 'upgrade'] as const;

/** Sends one request over the compartment's `fetch`. Redirects are not followed, as in undici. */
async function send(address: unknown, options: Fields): Promise<ResponseData> {
  const url = addressOf(address, options);
  const { body, method, headers, signal, opaque = null, headersTimeout } = options;
  for (const name of UNSUPPORTED) {
    const value = options[name];
    if (value !== undefined && value !== null && value !== false && value !== 0) {
      throw new errors.InvalidArgumentError(`${name} is not supported`);
    }
  }
  const content = await contentOf(body);
  const sent = makeRequest(url.startsWith('https:') ? 'https:' : 'http:')(url, {
    method: method ?? (content === undefined ? 'GET' : 'PUT'),
    headers: { ...content?.headers, ...fieldsOf(headers) },
    ...(signal === undefined || signal === null ? {} : { signal }),
  });
  return new Promise((resolve, reject) => {
    sent.once('error', reject);
    if (typeof headersTimeout === 'number' && headersTimeout > 0) {
      sent.setTimeout(headersTimeout, () => sent.destroy(new errors.HeadersTimeoutError()));
    }
    sent.once('response', (message: IncomingMessage) => {
      const { statusCode, headers: received, trailers } = message;
      const answer = Object.assign(message, bodyMethods(message));
      resolve({ statusCode, headers: received, trailers, opaque, context: {}, body: answer });
    });
    sent.end(content?.bytes);
  });
}

/** The URL of a request: an address, or the `origin` and `path` of the options, with the fields of `query`. */
function addressOf(address: unknown, { path, query }: Fields): string {
  const { origin, pathname } = isFields(address) ? address : {};
  const href = isFields(address) ? (address['href'] ?? origin) : address;
  if (typeof href !== 'string') {
    throw new errors.InvalidArgumentError(
      'Invalid URL: the URL argument must be a string or an object.',
    );
  }
  const made = new (always('URL'))(
    typeof path === 'string' ? path : typeof pathname === 'string' ? pathname : href,
    href,
  );
  const fields = isFields(query) ? Object.entries(query) : [];
  if (fields.length === 0) return made.href;
  const pairs = fields.flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) =>
      [name, String(one ?? '')].map(encodeURIComponent).join('='),
    ),
  );
  if (made.search !== '' || made.hash !== '') {
    throw new Error('Query params cannot be passed when url already contains "?" or "#".');
  }
  return `${made.href}?${pairs.join('&')}`;
}

/** A list of names and values, or a record, or an iterable of pairs. */
function fieldsOf(headers: unknown): Fields {
  if (!isFields(headers)) return {};
  if (Array.isArray(headers)) {
    return Object.fromEntries(
      headers.flatMap((name, at) => (at % 2 === 0 ? [[String(name), headers[at + 1]]] : [])),
    );
  }
  return isIterable(headers) ? Object.fromEntries(headers) : headers;
}

interface Content {
  readonly bytes: Buffer;
  /** What its kind implies. */
  readonly headers: Fields;
}

/** The whole body: a text, bytes, a form, or a stream of any kind. */
async function contentOf(body: unknown): Promise<Content | undefined> {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return { bytes: Buffer.from(body), headers: {} };
  if (body instanceof Uint8Array) return { bytes: Buffer.from(body), headers: {} };
  if (body instanceof ArrayBuffer) return { bytes: Buffer.from(body), headers: {} };
  if (isAsyncIterable(body)) return { bytes: await bytesOf(body), headers: {} };
  // The compartment's own class knows how to write a form and a blob.
  const response: unknown = new (always('Response'))(body);
  const { headers, arrayBuffer } = response as FormResponse;
  const type = headers.get('content-type');
  return {
    bytes: Buffer.from(await Reflect.apply(arrayBuffer, response, [])),
    headers: type === null ? {} : { 'content-type': type },
  };
}

interface FormResponse {
  readonly headers: { get(name: string): string | null };
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The methods of the web's body that undici gives to its stream. */
function bodyMethods(message: IncomingMessage): object {
  const bytes = async (): Promise<Buffer> =>
    isAsyncIterable(message) ? bytesOf(message) : Buffer.alloc(0);
  const text = async (): Promise<string> => (await bytes()).toString();
  const type = String(message.headers['content-type'] ?? '');
  return {
    text,
    bytes,
    json: async (): Promise<unknown> => JSON.parse(await text()),
    arrayBuffer: async (): Promise<unknown> => {
      const { buffer, byteOffset, byteLength } = await bytes();
      return buffer.slice(byteOffset, byteOffset + byteLength);
    },
    blob: async (): Promise<unknown> => new (always('Blob'))([await bytes()], { type }),
    dump: async (): Promise<void> => void (await bytes()),
  };
}

/**
 * What holds connections in undici. Here it knows its origin, and how long it waits for an answer: connections are the
 * host's own, and options of connections have no effect.
 */
class Dispatcher extends EventEmitter {
  closed = false;
  destroyed = false;
  readonly #origin: unknown;
  readonly #headersTimeout: unknown;

  constructor(origin?: unknown, options?: unknown) {
    super();
    this.#origin = origin;
    this.#headersTimeout = isFields(options) ? options['headersTimeout'] : undefined;
  }

  request(options: Fields, callback?: (error: unknown, answer?: ResponseData) => void): unknown {
    const answer = this.#send(options);
    if (callback === undefined) return answer;
    answer.then((data) => callback(null, data), callback);
    return undefined;
  }

  async #send(options: Fields): Promise<ResponseData> {
    if (this.destroyed) throw new errors.ClientDestroyedError();
    if (this.closed) throw new errors.ClientClosedError();
    return send(this.#origin ?? options['origin'], {
      headersTimeout: this.#headersTimeout,
      ...options,
    });
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  async destroy(): Promise<void> {
    this.closed = true;
    this.destroyed = true;
  }
}

/** Those of one origin. */
class Client extends Dispatcher {}
class Pool extends Client {}
class BalancedPool extends Client {
  constructor(origins: unknown, options?: unknown) {
    super(Array.isArray(origins) ? origins[0] : origins, options);
  }
}

/** Those of any origin. */
class Agent extends Dispatcher {
  constructor(options?: unknown) {
    super(undefined, options);
  }
}

let globalDispatcher: Dispatcher | undefined;

/** `request(url, options)`, by the dispatcher of the options or the global one. */
async function request(address: unknown, options: Fields = {}): Promise<unknown> {
  const { dispatcher: own, query: _, ...rest } = options;
  const dispatcher = own ?? (globalDispatcher ??= new Agent());
  // One that sends by itself would be ignored.
  if (!(dispatcher instanceof Dispatcher) || 'dispatch' in dispatcher) {
    throw new errors.InvalidArgumentError(
      'dispatcher must be one of undici, without a dispatch of its own',
    );
  }
  const { protocol, host, pathname, search } = new (always('URL'))(addressOf(address, options));
  return dispatcher.request({
    ...rest,
    origin: `${protocol}//${host}`,
    path: `${pathname}${search}`,
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function isIterable(value: object): value is Iterable<readonly [string, unknown]> {
  return Symbol.iterator in value;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isFields(value) && Symbol.asyncIterator in value;
}

/** The package undici: `fetch` and its classes, and `request` over it. Proxies, mocks and handlers are refused. */
export const builtin: object = offer(
  'undici',
  withWebClasses({
    fetch,
    request,
    errors,
    Dispatcher,
    Client,
    Pool,
    BalancedPool,
    Agent,
    getGlobalDispatcher: () => (globalDispatcher ??= new Agent()),
    setGlobalDispatcher: (next: Dispatcher) => {
      globalDispatcher = next;
    },
  }),
);
