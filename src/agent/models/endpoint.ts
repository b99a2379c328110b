import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError } from '../../errors.js';
import { isObject } from '../message.js';

/** A provider's endpoint that speaks HTTP. */
export interface Endpoint {
  /** Its base, e.g. `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  /** The model's name there. */
  readonly model: string;
  readonly apiKey?: string;
  /** Tokens of one reply at most. Default: the provider's, or 8,192 where it has none. */
  readonly maxTokens?: number;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What sends requests. Default: this process's own `fetch`. */
  readonly fetch?: typeof fetch;
}

/**
 * Throws `INVALID_OPTIONS` for an address that is none, or that holds a name or password: it is told
 * in errors, and no request is sent with them.
 */
export function checkEndpoint({ url }: Endpoint): void {
  if (!URL.canParse(url)) throw invalidUrl('is not an absolute URL');
  const { username, password } = new URL(url);
  if (username === '' && password === '') return;
  throw invalidUrl(
    'holds a name or password. Remove them, and give the key as apiKey or by headers',
  );
}

/** Does not repeat it: what could not be read may hold a password as well. */
function invalidUrl(what: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option url of a model ${what}.`, {
    option: 'url',
  });
}

/** Posts one request. Throws `MODEL_FAILED` with the endpoint's own words. */
export async function post(
  { url, fetch: send = fetch }: Endpoint,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: object,
  signal: AbortSignal,
): Promise<Response> {
  const target = `${url.replace(/\/+$/, '')}/${path}`;
  let response: Response;
  try {
    response = await send(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal,
      // A key is for the endpoint that was named.
      redirect: 'error',
    });
  } catch (error) {
    const why = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw failed(
      `${target} could not be reached: ${why instanceof Error ? why.message : 'unknown'}`,
    );
  }
  if (response.ok) return response;
  const said = explain(await beginningOf(response));
  throw failed(`${target} answered ${response.status}: ${said}`, response.status);
}

const MAX_REFUSAL_CHARACTERS = 2_000;

/** As much of an answer as an error tells: how long it is, or whether it ends, is the endpoint's to say. */
async function beginningOf({ body }: Response): Promise<string> {
  let text = '';
  if (body === null) return text;
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length >= MAX_REFUSAL_CHARACTERS) break;
  }
  return text.slice(0, MAX_REFUSAL_CHARACTERS);
}

/** Reads JSON that an endpoint sent. Throws `MODEL_FAILED`. */
export function parseData(data: string): JsonObject {
  try {
    const value: Json = JSON.parse(data);
    if (isObject(value)) return value;
  } catch {
    // Told below, with what it was.
  }
  throw failed(`The model's endpoint sent what is no JSON object: ${data.slice(0, 200)}`);
}

export function failed(message: string, status?: number): BulkheadError {
  return new BulkheadError('MODEL_FAILED', message, status === undefined ? {} : { status });
}

/** The words of an error in one of the forms that providers use. */
export function explain(body: string | JsonObject): string {
  let value: Json = body;
  if (typeof body === 'string') {
    try {
      value = JSON.parse(body);
    } catch {
      return body;
    }
  }
  const error = isObject(value) ? (value['error'] ?? value) : value;
  if (isObject(error) && typeof error['message'] === 'string') return error['message'];
  return typeof error === 'string' ? error : JSON.stringify(error);
}

/** A tool call's input, which arrives as pieces of JSON. What is none is an empty input. */
export function parseInput(text: string): JsonObject {
  if (text.trim() === '') return {};
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
