import { AsyncLocalStorage } from 'node:async_hooks';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isJsonObject, isRecord } from '../../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError } from '../../errors.js';
import { isolated } from '../../visible.js';
import type { McpPowers, RemoteCall } from '../remote.js';

/** A call under way, as its server's requests find it. */
export interface OpenCall {
  readonly call: RemoteCall;
  sampled: number;
}

/** The calls under way on one connection. */
export interface OpenCalls {
  /** Runs a call. Requests that arrive on its own stream are attributed to it. */
  run<T>(call: RemoteCall, send: () => Promise<T>): Promise<T>;
  /** Runs something that belongs to no call, such as connecting. */
  outside<T>(start: () => T): T;
  /** The call that a request of the server is for; `undefined` if that is not certain. */
  current(): OpenCall | undefined;
}

export function makeOpenCalls(): OpenCalls {
  const streams = new AsyncLocalStorage<OpenCall>();
  const open = new Set<OpenCall>();
  return {
    run: async (call, send) => {
      const one: OpenCall = { call, sampled: 0 };
      open.add(one);
      try {
        return await streams.run(one, send);
      } finally {
        open.delete(one);
      }
    },
    outside: (start) => streams.exit(start),
    current: () => {
      const one = streams.getStore();
      if (one !== undefined) return open.has(one) ? one : undefined;
      // One stream for all calls, as over standard output: with two calls it could be either.
      // guard: mcp-server-request-attributed
      return open.size === 1 ? [...open][0] : undefined;
    },
  };
}

/** Answers the requests that a server sends: each only as far as the operator allows it. */
export interface ServerRequests {
  /** The capabilities to announce. */
  readonly capabilities: JsonObject;
  elicit(params: unknown): Promise<JsonObject>;
  sample(params: unknown): Promise<JsonObject>;
  roots(): { readonly roots: readonly { readonly uri: string; readonly name: string }[] };
}

/** Throws `INVALID_OPTIONS` for roots that are not absolute paths. */
export function makeServerRequests(
  id: string,
  { elicitation = false, sampling = false, roots = [] }: McpPowers,
  calls: Pick<OpenCalls, 'current'>,
): ServerRequests {
  const urls = typeof elicitation === 'object' ? elicitation.urls : [];
  const { maxTokens = 1_000, maxRequests = 5 } = typeof sampling === 'object' ? sampling : {};
  for (const root of roots) if (!isAbsolute(root)) throw notAbsolute(id, root);
  const open = (what: string): OpenCall => {
    const found = calls.current();
    if (found === undefined) throw new Error(`${what} is only possible during one call`);
    return found;
  };
  return {
    capabilities: {
      ...(elicitation === false
        ? {}
        : { elicitation: { form: {}, ...(urls.length === 0 ? {} : { url: {} }) } }),
      ...(sampling === false ? {} : { sampling: {} }),
      ...(roots.length === 0 ? {} : { roots: {} }),
    },
    elicit: async (params) => {
      // guard: mcp-elicitation-allowed
      if (elicitation === false) throw denied('elicitation', id);
      const { call } = open('elicitation');
      const asked = call.client?.elicit;
      if (asked === undefined) throw new Error('the client cannot ask its user');
      const mayOpen = ({ hostname }: URL): boolean => urls.includes(hostname);
      return asked(readElicitation(id, params, mayOpen), call.signal);
    },
    sample: async (params) => {
      // guard: mcp-sampling-allowed
      if (sampling === false) throw denied('sampling', id);
      const one = open('sampling');
      const asked = one.call.client?.sample;
      if (asked === undefined) throw new Error('the client has no model to share');
      one.sampled += 1;
      // guard: mcp-sampling-counted
      if (one.sampled > maxRequests) {
        throw new Error(`a call may ask the model ${maxRequests} times`);
      }
      return asked(readSampling(params, maxTokens), one.call.signal);
    },
    roots: () => rootsOf(roots),
  };
}

/** Absolute paths as roots of MCP. */
export function rootsOf(paths: readonly string[]): {
  readonly roots: readonly { readonly uri: string; readonly name: string }[];
} {
  return {
    roots: paths.map((path) => ({
      uri: pathToFileURL(path).href,
      name: path.split(/[\\/]/).findLast((part) => part !== '') ?? path,
    })),
  };
}

function denied(power: keyof McpPowers, id: string): Error {
  return new Error(
    `${power} is denied. To allow it, the operator adds "allow": { "${power}": true } to the remote ${id}`,
  );
}

const MAX_MESSAGE = 2_000;
const MAX_FIELDS = 50;

/**
 * A server's question to the client's user. The message names the server, quotes its words, and says that they
 * are the server's, so that it is never taken for one of our approvals. `mayOpen`: whether the user may be
 * sent to a page.
 */
export function readElicitation(
  id: string,
  params: unknown,
  mayOpen: (url: URL) => boolean,
): JsonObject {
  if (!isRecord(params)) throw new Error('elicitation has no parameters');
  const { message, mode, url, requestedSchema, elicitationId } = params;
  const words = typeof message === 'string' ? message.slice(0, MAX_MESSAGE) : '';
  // guard: mcp-elicitation-quoted
  const quoted = `The tool server ${id} asks: ${isolated(JSON.stringify(words))}`;
  if (mode === 'url') {
    if (typeof url !== 'string' || !URL.canParse(url)) throw new Error('elicitation has no URL');
    const page = new URL(url);
    const { protocol, hostname, username, password, href } = page;
    // guard: mcp-elicitation-url-granted
    if (protocol !== 'https:' || username !== '' || password !== '' || !mayOpen(page)) {
      throw new Error(`elicitation may not open ${JSON.stringify(href.slice(0, 200))}`);
    }
    return {
      mode,
      message: `${quoted} It wants to open this page of ${hostname}: ${href}`,
      url: href,
      elicitationId: typeof elicitationId === 'string' ? elicitationId.slice(0, 200) : id,
    };
  }
  return { mode: 'form', message: quoted, requestedSchema: readForm(requestedSchema) };
}

/** A form's schema: an object of simple fields. Titles and descriptions are the server's words. */
function readForm(schema: unknown): JsonObject {
  const properties = isRecord(schema) && isRecord(schema['properties']) ? schema['properties'] : {};
  const fields = Object.entries(properties);
  if (fields.length > MAX_FIELDS) throw new Error(`a form has at most ${MAX_FIELDS} fields`);
  const read = fields.map(([name, field]): [string, Json] => {
    if (!isJsonObject(field) || JSON.stringify(field).length > 16 * 1024) {
      throw new Error('a field of the form is not valid');
    }
    const { type } = field;
    if (typeof type !== 'string' || type === 'object') {
      throw new Error('a form has fields of simple types only');
    }
    return [isolated(name), shown(field)];
  });
  const listed: unknown = isRecord(schema) ? schema['required'] : undefined;
  const required = Array.isArray(listed)
    ? listed.filter((name): name is string => typeof name === 'string' && name in properties)
    : [];
  return {
    type: 'object',
    properties: Object.fromEntries(read),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** Escapes what a person would not see, in every text. */
function shown(value: Json): Json {
  if (typeof value === 'string') return isolated(value);
  if (Array.isArray(value)) return value.map((one: Json) => shown(one));
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shown(one)]))
    : value;
}

const MAX_SAMPLED_BYTES = 256 * 1024;

/** A request to the client's model: without context of other servers, without tools, and capped. */
export function readSampling(params: unknown, maxTokens: number): JsonObject {
  if (!isJsonObject(params)) throw new Error('sampling has no parameters');
  if (JSON.stringify(params).length > MAX_SAMPLED_BYTES) {
    throw new Error(`sampling sends at most ${MAX_SAMPLED_BYTES} bytes`);
  }
  const { messages, systemPrompt, temperature, stopSequences, modelPreferences } = params;
  const wanted = params['maxTokens'];
  return {
    messages: Array.isArray(messages) ? messages : [],
    // guard: mcp-sampling-without-context
    includeContext: 'none',
    maxTokens: Math.min(typeof wanted === 'number' && wanted > 0 ? wanted : maxTokens, maxTokens),
    ...(typeof systemPrompt === 'string' ? { systemPrompt } : {}),
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(Array.isArray(stopSequences) ? { stopSequences } : {}),
    ...(isJsonObject(modelPreferences) ? { modelPreferences } : {}),
  };
}

function notAbsolute(id: string, root: string): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `The root ${JSON.stringify(root)} of the remote ${id} is not an absolute path. Write the whole path.`,
    { option: 'remotes' },
  );
}
