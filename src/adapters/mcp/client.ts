import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { isJsonObject, isRecord } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { type CallClient, LOG_LEVELS, type LogLevel } from '../../plugin/call-client.js';

/** Milliseconds for a client's user to answer. The deadline of the call is usually earlier. */
const ANSWER_MS = 600_000;

/** The client of a request, as far as it announced that it can be asked. */
export function clientOf(
  server: Server,
  { mcpReq }: ServerContext,
  logLevel: () => LogLevel | undefined,
): CallClient {
  const modern = mcpReq.envelope !== undefined;
  const log: CallClient['log'] = ({ level, data, logger }) => {
    if (modern) {
      mcpReq.log(level, data, logger).catch(() => {});
      return;
    }
    const least = logLevel() ?? 'debug';
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
    const params = { level, data, ...(logger === undefined ? {} : { logger }) };
    mcpReq.notify({ method: 'notifications/message', params }).catch(() => {});
  };
  // In the current version, servers send no requests.
  if (modern) return { log };
  const { elicitation, sampling } = server.getClientCapabilities() ?? {};
  const ask =
    (method: 'elicitation/create' | 'sampling/createMessage') =>
    async (params: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
      if (params['mode'] === 'url' && elicitation?.url === undefined) {
        throw new Error('the client cannot open pages');
      }
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

/** Whether the client can show a question to its user, by this request or else by the first one. */
export function canElicit(server: Server, { mcpReq }: ServerContext): boolean {
  const envelope: unknown = mcpReq.envelope;
  const now = isRecord(envelope)
    ? envelope['io.modelcontextprotocol/clientCapabilities']
    : undefined;
  const capabilities: unknown = now ?? server.getClientCapabilities();
  return isRecord(capabilities) && capabilities['elicitation'] !== undefined;
}
