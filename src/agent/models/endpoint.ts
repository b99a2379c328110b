import { createParser } from 'eventsource-parser';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import {
  credentialsOf,
  makeCredentialScrubber,
} from '../../brokers/network/secrets/credential-scrubber.js';
import { BulkheadError, isBulkheadError } from '../../errors.js';
import type { Block } from '../message.js';
import type { Model, ModelReply, ModelRequest, ModelStream } from '../model.js';

/** A provider's endpoint that speaks HTTP. */
export interface Endpoint {
  /** The base URL, e.g. `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  /** The model's name at the endpoint. */
  readonly model: string;
  /** Default: none. */
  readonly apiKey?: string;
  /** Tokens of one reply. Default: the provider's default, or 8,192 if the protocol requires a number. */
  readonly maxTokens?: number;
  /** Additional headers. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the requests. Default: this process's own `fetch`. */
  readonly fetch?: typeof fetch;
}

/** A provider's protocol, as far as it differs from other protocols. */
export interface Protocol {
  /** Below the endpoint's URL. */
  readonly path: string;
  headers(apiKey: string | undefined): Readonly<Record<string, string>>;
  body(endpoint: Endpoint, request: ModelRequest): object;
  /** Reads the data of each server-sent event, or the whole answer of an endpoint that did not stream. */
  read(events: AsyncIterable<string>, onText: ModelStream['onText']): Promise<ModelReply>;
}

/** Throws `INVALID_OPTIONS` for a URL that is not absolute, or that contains a name or password. */
export function makeEndpointModel(endpoint: Endpoint, protocol: Protocol): Model {
  checkUrl(endpoint.url);
  const scrub = makeKeyScrubber(endpoint);
  return {
    respond: async (request, { onText, signal }) => {
      const headers = { ...protocol.headers(endpoint.apiKey), ...endpoint.headers };
      const body = protocol.body(endpoint, request);
      try {
        const response = await post(endpoint, protocol.path, headers, body, signal);
        return await protocol.read(readEvents(response), onText);
      } catch (error) {
        // guard: model-error-without-keys
        throw scrubbed(error, scrub);
      }
    },
  };
}

/** Shorter values are not keys, and would be found in ordinary words. */
const MIN_KEY_CHARACTERS = 6;

/** Removes the key and the values of the additional headers from a text, in every encoding and in part. */
function makeKeyScrubber({ apiKey, headers = {} }: Endpoint): (text: string) => string {
  const values = [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers)];
  const whole = makeCredentialScrubber(values, { name: 'key', minCharacters: MIN_KEY_CHARACTERS });
  const keys = credentialsOf(values, PART_CHARACTERS);
  // guard: model-error-without-parts-of-keys
  return (text) => keys.reduce(withoutParts, whole(text));
}

/** Providers shorten the key that they repeat. Shorter parts are what many keys begin with. */
const PART_CHARACTERS = 14;

/** Replaces whatever stands in `text` and in `key` alike, from `PART_CHARACTERS` on. */
function withoutParts(text: string, key: string): string {
  const parts = new Set<string>();
  for (let from = 0; from + PART_CHARACTERS <= key.length; from += 1) {
    parts.add(key.slice(from, from + PART_CHARACTERS));
  }
  let rest = '';
  let hiddenTo = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (parts.has(text.slice(at, at + PART_CHARACTERS))) {
      if (hiddenTo <= at) rest += '[key]';
      hiddenTo = at + PART_CHARACTERS;
    }
    if (hiddenTo <= at) rest += text.charAt(at);
  }
  return rest;
}

function scrubbed(error: unknown, scrub: (text: string) => string): unknown {
  if (!isBulkheadError(error, 'MODEL_FAILED')) return error;
  // An event of a reply may hold megabytes.
  // guard: model-error-cut-before-scrubbing
  const message = scrub(error.message.slice(0, MAX_READ_CHARACTERS));
  const short =
    message.length > MAX_ERROR_CHARACTERS ? `${message.slice(0, MAX_ERROR_CHARACTERS)}…` : message;
  return failed(short, error.details.status);
}

function checkUrl(url: string): void {
  if (!URL.canParse(url)) throw invalidUrl('is not an absolute URL');
  const { username, password } = new URL(url);
  if (username === '' && password === '') return;
  throw invalidUrl(
    'contains a name or password. Remove them, and pass the key as apiKey or in headers',
  );
}

/** Does not repeat the URL: even a URL that cannot be parsed may contain a password. */
function invalidUrl(what: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option url of a model ${what}.`, {
    option: 'url',
  });
}

/** The address of a path. A base URL may contain the version already: that of some SDKs does. */
function joined(url: string, path: string): string {
  const base = url.replace(/\/+$/, '');
  return `${path.startsWith('v1/') ? base.replace(/\/v1$/, '') : base}/${path}`;
}

/** Posts one request. Throws `MODEL_FAILED` with the endpoint's own error message. */
async function post(
  { url, fetch: send = fetch }: Endpoint,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: object,
  signal: AbortSignal,
): Promise<Response> {
  const target = joined(url, path);
  let response: Response;
  try {
    response = await send(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal,
      // The key is for the named endpoint only.
      // guard: model-redirects-refused
      redirect: 'error',
    });
  } catch (error) {
    const why = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw failed(
      `${target} could not be reached: ${why instanceof Error ? why.message : 'unknown'}`,
    );
  }
  if (response.ok) return response;
  const message = errorMessage(await readStart(response));
  throw failed(`${target} answered ${response.status}: ${message}`, response.status);
}

const MAX_ERROR_CHARACTERS = 2_000;

/** Read before the keys are removed and the text is cut, so that the cut does not hide half of a key. */
const MAX_READ_CHARACTERS = 2 * MAX_ERROR_CHARACTERS + 8_192;

/** The start of an answer. The endpoint decides how long an answer is, and whether it ends. */
async function readStart({ body }: Response): Promise<string> {
  let text = '';
  if (body === null) return text;
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length >= MAX_READ_CHARACTERS) break;
  }
  return text.slice(0, MAX_READ_CHARACTERS);
}

/** Bytes of one reply. Stops an endpoint that never stops sending. */
const MAX_REPLY_BYTES = 32 * 1024 * 1024;
/** Characters of one event of a reply. */
const MAX_EVENT_CHARACTERS = 4 * 1024 * 1024;

/** The data of each server-sent event as it arrives, or the whole body of an answer without events. */
export async function* readEvents(response: Response): AsyncGenerator<string> {
  if (response.headers.get('content-type')?.includes('text/event-stream') !== true) {
    let whole = '';
    for await (const text of readText(response)) whole += text;
    if (whole !== '') yield whole;
    return;
  }
  const events: string[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: ({ data }) => events.push(data),
    onError: ({ type }) => {
      if (type !== 'max-buffer-size-exceeded') return;
      throw tooLarge(`${MAX_EVENT_CHARACTERS} characters for one event of a reply`);
    },
  });
  for await (const text of readText(response)) {
    parser.feed(text);
    yield* events.splice(0);
  }
  // The last event may lack the empty line that ends it.
  parser.feed('\n\n');
  yield* events.splice(0);
}

async function* readText({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_REPLY_BYTES) throw tooLarge(`${MAX_REPLY_BYTES} bytes for one reply`);
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
}

function tooLarge(limit: string): BulkheadError {
  return failed(`The model's endpoint sent more than ${limit}.`);
}

/** Parses an event as a JSON object. Throws `MODEL_FAILED`. */
export function parseData(data: string): JsonObject {
  try {
    const value: Json = JSON.parse(data);
    if (isRecord(value)) return value;
  } catch {
    // The error below does not quote the data: it may contain a key.
  }
  throw failed(
    `The model's endpoint sent ${data.length} characters that are not a whole JSON object. The reply may have been cut.`,
  );
}

export function failed(message: string, status?: number): BulkheadError {
  return new BulkheadError('MODEL_FAILED', message, status === undefined ? {} : { status });
}

/** The message of an error, in any of the forms that providers use. */
export function errorMessage(body: string | JsonObject): string {
  let value: Json = body;
  if (typeof body === 'string') {
    try {
      value = JSON.parse(body);
    } catch {
      return body;
    }
  }
  const error = isRecord(value) ? (value['error'] ?? value) : value;
  if (isRecord(error) && typeof error['message'] === 'string') return error['message'];
  return typeof error === 'string' ? error : JSON.stringify(error);
}

/** A block of a reply. A tool call that must not run has the reason. */
export interface ParsedBlock {
  readonly block: Block;
  readonly broken?: string;
}

/**
 * A tool call from the text of its input. A text that is not one whole JSON object breaks the call: it
 * must never run with another input than the model sent. An empty text is a call without arguments.
 */
export function parseCall(id: string, name: string, text: string): ParsedBlock {
  const input = text.trim() === '' ? {} : parseObject(text);
  // guard: broken-tool-call-never-runs
  if (input === undefined) return brokenCall(id, name, 'its input is not a JSON object');
  return { block: { type: 'tool_use', id, name, input } };
}

export function brokenCall(id: string, name: string, why: string): ParsedBlock {
  return {
    block: { type: 'tool_use', id, name, input: {} },
    broken: `This tool call did not run, because ${why}. Send the call again, with complete JSON.`,
  };
}

/** The parts of a reply that come from its tool calls. */
export function replyWith(
  blocks: readonly Block[],
  calls: readonly ParsedBlock[],
): Pick<ModelReply, 'content' | 'brokenCalls'> {
  const broken = calls.flatMap(({ block, broken: why }) =>
    why === undefined || typeof block['id'] !== 'string' ? [] : [[block['id'], why] as const],
  );
  const content = [...blocks, ...calls.map(({ block }) => block)];
  return broken.length === 0 ? { content } : { content, brokenCalls: new Map(broken) };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The error for a reply whose stream ended too early. Its tool calls may be cut, so none of them runs. */
export function cutReply(): BulkheadError {
  return failed(
    "The model's reply was cut: its stream ended without the end of the reply. No tool of it ran.",
  );
}

/** Tokens as a reply reports them. Values that are not numbers are left out. */
export function usageOf(
  usage: Json | undefined,
  inputField: string,
  outputField: string,
): NonNullable<ModelReply['usage']> {
  if (!isRecord(usage)) return {};
  const { [inputField]: inputTokens, [outputField]: outputTokens } = usage;
  return {
    ...(typeof inputTokens === 'number' ? { inputTokens } : {}),
    ...(typeof outputTokens === 'number' ? { outputTokens } : {}),
  };
}
