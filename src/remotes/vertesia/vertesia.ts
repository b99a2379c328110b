import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError, isBulkheadError } from '../../errors.js';
import type { ToolAnswer } from '../../plugin/answer.js';
import type { Identity } from '../identity.js';
import { REMOTE_LIMITS } from '../limits.js';
import { makeOrigin, type Origin, type OriginSpec, readAll } from '../origin.js';
import type { Remote, RemoteCall, RemoteListing, RemoteProblem, RemoteTool } from '../remote.js';
import { type Answered, failureOf, readAnswer } from './answer.js';
import { attempt, pause } from './attempts.js';
import { type Described, type DescribedTool, readDescription } from './describe.js';
import type { VertesiaRemoteOptions } from './options.js';
import { placeOf } from './place.js';

export interface VertesiaRemoteSpec {
  readonly id: string;
  readonly options: VertesiaRemoteOptions;
  readonly identity: Identity;
  readonly network: OriginSpec['network'];
  readonly onEvent?: OriginSpec['onEvent'];
}

/** A server of Vertesia's protocol, called by the network broker's rules with a token of ours. */
export function makeVertesiaRemote(spec: VertesiaRemoteSpec): Remote {
  const { id, options, identity } = spec;
  const endpoint = options.vertesia;
  const origins = new Map<string, Origin>();
  let kept: { readonly described: Described; readonly etag: string | undefined } | undefined;

  const originOf = (origin: string): Origin => {
    const open = origins.get(origin) ?? makeOrigin(originSpec(spec, origin));
    origins.set(origin, open);
    return open;
  };

  const discover = async (signal: AbortSignal): Promise<void> => {
    const tag = kept?.etag;
    const reply = await originOf(new URL(endpoint).origin).send(
      {
        url: endpoint,
        method: 'GET',
        headers: [
          ['accept', 'application/json'],
          ...(tag === undefined ? [] : [['if-none-match', tag] as const]),
        ],
      },
      signal,
    );
    if (reply.status === 304 && kept !== undefined) return;
    if (reply.status !== 200) {
      reply.body?.cancel('it is no listing');
      throw new Error(`it answered with ${reply.status}`);
    }
    const bytes = await readAll(reply.body, REMOTE_LIMITS.maxListingBytes, id);
    const described = readDescription(JSON.parse(new TextDecoder().decode(bytes)), id);
    kept = { described, etag: headerOf(reply.headers, 'etag') };
  };

  const toolOf = (tool: DescribedTool): RemoteTool | RemoteProblem => {
    const place = placeOf(tool.url, endpoint);
    const allowed = [new URL(endpoint).origin, ...(options.origins ?? [])];
    if (place === undefined || !allowed.includes(place.origin)) return elsewhere(id, tool, place);
    const { annotations, category, url: _url, ...described } = tool;
    return {
      ...described,
      annotations,
      title: annotations.title ?? tool.tool,
      ...(category === undefined ? {} : { category }),
      hash: `${tool.hash} ${place.href}`,
      run: (call) =>
        attempt(() => post(place, tool, call), {
          idempotent: annotations.idempotentHint === true || annotations.readOnlyHint === true,
          signal: call.signal,
          pause,
        }),
    };
  };

  const post = async (place: URL, tool: DescribedTool, call: RemoteCall): Promise<ToolAnswer> => {
    const asked = { callId: call.callId, tool: `${id}:${tool.tool}`, remote: id };
    const token = await identity.tokenFor(place.origin);
    const body = {
      tool_use: { id: call.callId, tool_name: tool.tool, tool_input: call.input },
      metadata: withoutEndpoints(call.metadata),
    };
    const reply = await originOf(place.origin).send(
      {
        url: place.href,
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
      reply.body?.cancel('it redirects');
      throw new BulkheadError(
        'REMOTE_FAILED',
        `${id} redirects the call of ${tool.tool}, and a call follows no redirect. Register it at the URL that answers.`,
        { remote: id, status: reply.status },
      );
    }
    const bytes = await readAll(reply.body, call.maxResultBytes, id);
    const answered: Answered = {
      status: reply.status,
      retryAfter: headerOf(reply.headers, 'retry-after'),
      text: new TextDecoder().decode(bytes),
    };
    if (reply.status >= 200 && reply.status < 300) return readAnswer(answered, asked);
    throw failureOf(answered, asked);
  };

  return {
    id,
    kind: 'vertesia',
    where: endpoint,
    local: false,
    load: async (signal) => {
      const late = AbortSignal.timeout(REMOTE_LIMITS.discoveryMs);
      const problem = await discover(AbortSignal.any([signal, late])).then(
        () => undefined,
        (error: unknown) => unreachable(id, endpoint, error, kept !== undefined),
      );
      return listingOf(id, options, kept?.described, problem, toolOf);
    },
    accept: () => Promise.resolve(),
    onChange: () => () => {},
    close: async () => {
      await Promise.all([...origins.values()].map((origin) => origin.close()));
    },
  };
}

function listingOf(
  id: string,
  { tools: wanted }: VertesiaRemoteOptions,
  described: Described | undefined,
  problem: RemoteProblem | undefined,
  toolOf: (tool: DescribedTool) => RemoteTool | RemoteProblem,
): RemoteListing {
  const offered = (described?.tools ?? []).filter(
    ({ tool }) => wanted === undefined || wanted.includes(tool),
  );
  const read = offered.map(toolOf);
  return {
    name: described?.title ?? id,
    description: described?.description,
    version: undefined,
    tools: read.flatMap((one) => ('code' in one ? [] : [one])),
    problems: [
      ...(problem === undefined ? [] : [problem]),
      ...(described?.problems ?? []),
      ...read.flatMap((one) => ('code' in one ? [one] : [])),
    ],
  };
}

function originSpec(
  { id, options, network, onEvent }: VertesiaRemoteSpec,
  origin: string,
): OriginSpec {
  return {
    name: id,
    origin,
    allowPrivate: options.allowPrivate ?? false,
    remedy: `add "allowPrivate": true to the remote ${id}`,
    ...(network === undefined ? {} : { network }),
    ...(onEvent === undefined ? {} : { onEvent }),
  };
}

/** Where a run's services are is for a token to say, not for whoever calls. */
function withoutEndpoints({ endpoints: _endpoints, ...metadata }: JsonObject): JsonObject {
  return metadata;
}

function headerOf(
  headers: readonly (readonly [string, string])[],
  name: string,
): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

function elsewhere(id: string, { tool }: DescribedTool, place: URL | undefined): RemoteProblem {
  const where = place === undefined ? 'a URL that cannot be read' : place.origin;
  return {
    code: 'INVALID_TOOL',
    message: `${id} sends calls of ${tool} to ${where}, which is not where it was registered. To allow it, add that origin to the remote's "origins".`,
    toolId: tool,
  };
}

function unreachable(id: string, url: string, error: unknown, stale: boolean): RemoteProblem {
  const why = error instanceof Error ? error.message : String(error);
  return {
    code: isBulkheadError(error) ? error.code : 'REMOTE_FAILED',
    message: `${id} (${url}) did not say what it offers: ${why}${stale ? ' It goes on with what it offered before.' : ''}`,
  };
}
