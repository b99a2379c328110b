import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError } from '../../errors.js';
import type { ToolAnswer } from '../../plugin/answer.js';
import { type Description, makeDescriber } from '../description.js';
import type { Identity } from '../identity.js';
import { makeScrubberCache } from '../../brokers/network/secrets/credential-scrubber.js';
import { REMOTE_LIMITS } from '../limits.js';
import { acceptList, applyPins, type PinStore } from '../pins.js';
import { makeRemoteOrigin, type Origin, type OriginSpec, readAll } from '../origin.js';
import type {
  Remote,
  RemoteCall,
  RemoteProblem,
  RemoteTool,
  VertesiaRemoteOptions,
} from '../remote.js';
import {
  failureOf,
  type HttpAnswer,
  readAnswer,
  readDescription,
  type VertesiaTool,
} from './messages.js';
import { retry } from './retry.js';

export interface VertesiaRemoteSpec {
  readonly id: string;
  readonly options: VertesiaRemoteOptions;
  readonly identity: Identity;
  readonly pins: PinStore;
  readonly network: OriginSpec['network'];
  readonly onEvent?: OriginSpec['onEvent'];
}

interface Known extends Description<VertesiaTool> {
  readonly etag: string | undefined;
}

/** A server of Vertesia's protocol, called by the network broker's rules with a token of the host's. */
export function makeVertesiaRemote(spec: VertesiaRemoteSpec): Remote {
  const { id, options, identity, pins } = spec;
  const endpoint = options.vertesia;
  const ownOrigin = new URL(endpoint).origin;
  const origins = new Map<string, Origin>();

  const originOf = (origin: string): Origin => {
    const open = origins.get(origin) ?? makeRemoteOrigin(spec, origin);
    origins.set(origin, open);
    return open;
  };

  const describe = async (signal: AbortSignal, last: Known | undefined): Promise<Known> => {
    const etag = last?.etag;
    const reply = await originOf(ownOrigin).send(
      {
        url: endpoint,
        method: 'GET',
        headers: [
          ['accept', 'application/json'],
          ...(etag === undefined ? [] : [['if-none-match', etag] as const]),
        ],
      },
      signal,
    );
    if (reply.status === 304 && last !== undefined) return last;
    if (reply.status !== 200) {
      reply.body?.cancel('not a list of tools');
      throw new Error(`it answered with ${reply.status}`);
    }
    const bytes = await readAll(reply.body, REMOTE_LIMITS.maxListingBytes, id);
    const description = readDescription(JSON.parse(new TextDecoder().decode(bytes)), id);
    return { ...description, etag: headerOf(reply.headers, 'etag') };
  };
  const timeoutMs = REMOTE_LIMITS.discoveryMs;
  const server = makeDescriber({ id, where: endpoint, timeoutMs }, describe);

  const toolOf = (tool: VertesiaTool): RemoteTool | RemoteProblem => {
    const url = toolUrl(tool.url, endpoint);
    const allowed = [ownOrigin, ...(options.origins ?? [])];
    // guard: server-token-origin-allowed
    if (url === undefined || !allowed.includes(url.origin)) return originRefused(id, tool, url);
    const { annotations, category, url: _url, ...fields } = tool;
    return {
      ...fields,
      annotations,
      title: annotations.title ?? tool.tool,
      ...(category === undefined ? {} : { category }),
      hash: `${tool.hash} ${url.href}`,
      run: (call) =>
        retry(() => post(url, tool, call), {
          idempotent: annotations.idempotentHint === true || annotations.readOnlyHint === true,
          signal: call.signal,
        }),
    };
  };

  const scrubberOf = makeScrubberCache();
  const post = async (url: URL, tool: VertesiaTool, call: RemoteCall): Promise<ToolAnswer> => {
    const info = { callId: call.callId, tool: `${id}:${tool.tool}`, remote: id };
    const token = await identity.tokenFor(url.origin);
    const body = {
      tool_use: { id: call.callId, tool_name: tool.tool, tool_input: call.input },
      metadata: withoutEndpoints(call.metadata),
    };
    const reply = await originOf(url.origin).send(
      {
        url: url.href,
        method: 'POST',
        headers: [
          ['authorization', `Bearer ${token}`],
          ['content-type', 'application/json'],
          ['accept', 'application/json'],
        ],
        body: new TextEncoder().encode(JSON.stringify(body)),
      },
      call.signal,
    );
    if (headerOf(reply.headers, 'location') !== undefined) {
      reply.body?.cancel('a redirect');
      throw new BulkheadError(
        'REMOTE_FAILED',
        `${id} redirects the call of ${tool.tool}. Calls do not follow redirects: register the server at the URL that answers.`,
        { remote: id, status: reply.status },
      );
    }
    const bytes = await readAll(reply.body, call.maxResultBytes, id);
    const answer: HttpAnswer = {
      status: reply.status,
      retryAfter: headerOf(reply.headers, 'retry-after'),
      // guard: vertesia-answer-without-token
      text: scrubberOf([token])(new TextDecoder().decode(bytes)),
    };
    if (reply.status >= 200 && reply.status < 300) return readAnswer(answer, info);
    throw failureOf(answer, info);
  };

  return {
    id,
    kind: 'vertesia',
    where: endpoint,
    confinement: 'remote',
    load: async (signal) => {
      const failures = await server.refresh(signal);
      const { last } = server;
      const pinned =
        last === undefined ? { tools: [], problems: [] } : await applyPins(id, last.tools, pins);
      const isWanted = (tool: string | undefined): boolean =>
        tool === undefined || (options.tools?.includes(tool) ?? true);
      const read = pinned.tools.filter(({ tool }) => isWanted(tool)).map(toolOf);
      return {
        name: last?.name ?? id,
        description: last?.description,
        version: last?.version,
        tools: read.flatMap((one) => ('code' in one ? [] : [one])),
        problems: [
          ...failures,
          ...(last?.problems ?? []),
          ...pinned.problems.filter(({ toolId }) => isWanted(toolId)),
          ...read.flatMap((one) => ('code' in one ? [one] : [])),
        ],
      };
    },
    accept: (digest) => acceptList(id, server.last?.tools, digest, pins),
    onChange: () => () => {},
    close: async () => {
      await Promise.all([...origins.values()].map((origin) => origin.close()));
    },
  };
}

/** The URL that runs a tool, from the server's text and the URL that listed it. */
export function toolUrl(text: string | undefined, endpoint: string): URL | undefined {
  const listed = new URL(endpoint);
  if (text === undefined || text === '') return listed;
  if (/^[a-z][a-z\d+.-]*:/i.test(text) || text.startsWith('/')) return parseUrl(text, listed);
  // `tools/house` is relative to the part of the endpoint's path before `/tools`.
  const [first = ''] = text.split('/');
  const segments = listed.pathname.split('/');
  const at = segments.lastIndexOf(first);
  if (at < 0) return parseUrl(text, listed);
  const base = new URL(listed);
  base.pathname = `${segments.slice(0, at).join('/')}/`;
  return parseUrl(text, base);
}

function parseUrl(text: string, base: URL): URL | undefined {
  if (!URL.canParse(text, base.href)) return undefined;
  const url = new URL(text, base);
  const isHttp = url.protocol === 'https:' || url.protocol === 'http:';
  return isHttp && url.username === '' && url.password === '' ? url : undefined;
}

/** Only a token may name the endpoints of a run's services, never the caller. */
function withoutEndpoints({ endpoints: _endpoints, ...metadata }: JsonObject): JsonObject {
  return metadata;
}

function headerOf(
  headers: readonly (readonly [string, string])[],
  name: string,
): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

function originRefused(id: string, { tool }: VertesiaTool, url: URL | undefined): RemoteProblem {
  const where = url === undefined ? 'a URL that is not valid' : url.origin;
  return {
    code: 'INVALID_TOOL',
    message: `${id} runs ${tool} at ${where}, which is not a registered origin. To allow it, add that origin to the remote's "origins".`,
    toolId: tool,
  };
}
