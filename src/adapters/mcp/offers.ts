import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { isJsonObject } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { type BulkheadError, isBulkheadError } from '../../errors.js';
import { LOG_LEVELS, type LogLevel } from '../../plugin/call-client.js';
import { toSdkType } from '../../plugin/mcp-source.js';
import type { McpSdk } from './elicitation.js';
import { MAX_SUBSCRIPTIONS } from './listened-resources.js';
import type { ServedNames } from './sources.js';

/** The part of a server that serves resources, prompts, completion and log messages of MCP servers. */
export interface ServedOffers {
  /** The level of log messages that the client chose. */
  logLevel(): LogLevel | undefined;
  /** Ends the subscriptions of the client. */
  close(): void;
}

export interface OffersSpec {
  readonly mcp: McpSdk;
  readonly server: Server;
  readonly names: ServedNames;
}

export const OFFERED_CAPABILITIES = {
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

export function serveOffers({ mcp, server, names }: OffersSpec): ServedOffers {
  let level: LogLevel | undefined;
  const subscribed = new Map<string, () => void>();

  const invalid = (what: string, data?: unknown): Error =>
    new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, what, data);
  const named = (kind: 'resource' | 'prompt', name: string) => {
    const found = kind === 'resource' ? names.resource(name) : names.prompt(name);
    if (found === undefined) {
      throw invalid(
        `Unknown ${kind}: ${name.slice(0, 200)}`,
        kind === 'resource' ? { uri: name } : undefined,
      );
    }
    return found;
  };
  const answered = async <T>(asked: Promise<T>): Promise<T> => {
    try {
      return await asked;
    } catch (error) {
      if (isBulkheadError(error)) throw asProtocolError(mcp, error);
      throw error;
    }
  };

  server.setRequestHandler('resources/list', async (_request, context) => ({
    resources: toSdkType(await names.list('resources', signalOf(context))),
  }));
  server.setRequestHandler('resources/templates/list', async (_request, context) => ({
    resourceTemplates: toSdkType(await names.list('templates', signalOf(context))),
  }));
  server.setRequestHandler('resources/read', async ({ params }, context) => {
    const { source, name } = named('resource', params.uri);
    const { contents } = await answered(
      source.ask('resources/read', { uri: name }, signalOf(context)),
    );
    return { contents: toSdkType(exported(names, source.id, contents)) };
  });
  server.setRequestHandler('resources/subscribe', async ({ params }, context) => {
    const { uri } = params;
    if (context.http !== undefined && context.sessionId === undefined) {
      throw invalid('A subscription needs a session. Send initialize first');
    }
    const { source, name } = named('resource', uri);
    if (subscribed.has(uri)) return {};
    // guard: mcp-subscriptions-capped
    if (subscribed.size >= MAX_SUBSCRIPTIONS) {
      throw invalid(`A client has at most ${MAX_SUBSCRIPTIONS} subscriptions`);
    }
    const end = await answered(source.subscribe(name, signalOf(context)));
    const stopListening = source.onNotice((notice) => {
      if (notice.type !== 'resource-updated' || notice.uri !== name) return;
      server.sendResourceUpdated({ uri }).catch(() => {});
    });
    subscribed.set(uri, () => {
      stopListening();
      void end();
    });
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.get(params.uri)?.();
    subscribed.delete(params.uri);
    return {};
  });
  server.setRequestHandler('prompts/list', async (_request, context) => ({
    prompts: toSdkType(await names.list('prompts', signalOf(context))),
  }));
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const { source, name } = named('prompt', params.name);
    const asked = {
      name,
      ...(params.arguments === undefined ? {} : { arguments: params.arguments }),
    };
    const { messages, ...about } = await answered(
      source.ask('prompts/get', asked, signalOf(context)),
    );
    const all: readonly JsonObject[] = Array.isArray(messages) ? messages : [];
    return {
      ...about,
      messages: toSdkType(
        all.map((message) => {
          const { content } = message;
          return isJsonObject(content)
            ? { ...message, content: names.exportUris(source.id, content) }
            : message;
        }),
      ),
    };
  });
  server.setRequestHandler('completion/complete', async ({ params }, context) => {
    const { ref, argument, context: known } = params;
    const { source, name } =
      ref.type === 'ref/prompt' ? named('prompt', ref.name) : named('resource', ref.uri);
    if (!source.offers.completions) return { completion: { values: [] } };
    const asked = {
      ref: ref.type === 'ref/prompt' ? { type: ref.type, name } : { type: ref.type, uri: name },
      argument: { name: argument.name, value: argument.value },
      ...(known?.arguments === undefined ? {} : { context: { arguments: known.arguments } }),
    };
    return toSdkType(await answered(source.ask('completion/complete', asked, signalOf(context))));
  });
  server.setRequestHandler('logging/setLevel', async ({ params }, context) => {
    const wanted = LOG_LEVELS.find((known) => known === params.level);
    if (wanted === undefined) throw invalid('Unknown level');
    level = wanted;
    const sources = names.sources().filter(({ offers }) => offers.logging);
    // A server that fails does not prevent the others, and its messages are filtered here in any case.
    await Promise.allSettled(sources.map((one) => one.setLogLevel(wanted, signalOf(context))));
    return {};
  });

  return {
    logLevel: () => level,
    close: () => {
      for (const end of subscribed.values()) end();
      subscribed.clear();
    },
  };
}

function signalOf({ mcpReq }: ServerContext): AbortSignal {
  return mcpReq.signal;
}

function exported(names: ServedNames, source: string, contents: unknown): readonly JsonObject[] {
  const all: readonly JsonObject[] = Array.isArray(contents) ? contents : [];
  return all.map((one) => names.exportUris(source, one));
}

/** The server's own error with its code, or that it failed. */
function asProtocolError(mcp: McpSdk, error: BulkheadError): Error {
  const { cause, message } = error;
  const code =
    cause instanceof mcp.ProtocolError ? cause.code : mcp.ProtocolErrorCode.InternalError;
  return new mcp.ProtocolError(code, message);
}
