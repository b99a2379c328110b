import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { isJsonObject, isRecord } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { type CallClient, LOG_LEVELS, type LogLevel } from '../../plugin/call-client.js';
import type { AskedMethod, LiveCall } from './parked-calls.js';

/** Milliseconds for a client's user to answer. The deadline of the call is usually earlier. */
const ANSWER_MS = 600_000;

/** The client of a call, as far as it announced that it can be asked. */
export function clientOf(
  server: Server,
  live: LiveCall,
  logLevel: () => LogLevel | undefined,
): CallClient {
  const { mcpReq } = live.context();
  const modern = mcpReq.envelope !== undefined;
  const log: CallClient['log'] = ({ level, data, logger }) => {
    if (modern) {
      live
        .context()
        .mcpReq.log(level, data, logger)
        .catch(() => {});
      return;
    }
    const least = logLevel() ?? 'debug';
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
    const params = { level, data, ...(logger === undefined ? {} : { logger }) };
    mcpReq.notify({ method: 'notifications/message', params }).catch(() => {});
  };
  const { elicitation, sampling } = capabilitiesOf(server, live.context());
  const ask =
    (method: AskedMethod) =>
    async (params: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
      const isPage = params['mode'] === 'url';
      if (isPage && !(isRecord(elicitation) && elicitation['url'] !== undefined)) {
        throw new Error('the client cannot open pages');
      }
      if (modern) return live.ask(method, isPage ? withoutId(params) : params, signal);
      const answer: unknown = await mcpReq.send(
        { method, params: { ...params } },
        { signal, timeout: ANSWER_MS },
      );
      if (!isJsonObject(answer)) throw new Error('the client gave no answer');
      return answer;
    };
  return {
    log,
    ...(elicitation === undefined ? {} : { elicit: ask('elicitation/create') }),
    ...(sampling === undefined ? {} : { sample: ask('sampling/createMessage') }),
  };
}

/** In the current version, a page has no id. */
function withoutId(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([name]) => name !== 'elicitationId'));
}

/** What the client announced, by this request or else by the first one. */
function capabilitiesOf(
  server: Server,
  { mcpReq }: ServerContext,
): Readonly<Record<string, unknown>> {
  const envelope: unknown = mcpReq.envelope;
  const now = isRecord(envelope)
    ? envelope['io.modelcontextprotocol/clientCapabilities']
    : undefined;
  const capabilities: unknown = now ?? server.getClientCapabilities();
  return isRecord(capabilities) ? capabilities : {};
}

/** Whether the client can show a question to its user. */
export function canElicit(server: Server, context: ServerContext): boolean {
  return capabilitiesOf(server, context)['elicitation'] !== undefined;
}
