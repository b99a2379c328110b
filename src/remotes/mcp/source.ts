import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import { BulkheadError, isBulkheadError, messageOf } from '../../errors.js';
import { LOG_LEVELS, type LogLevel } from '../../plugin/call-client.js';
import {
  type McpList,
  type McpNotice,
  type McpOffers,
  type McpSource,
  toSdkType,
} from '../../plugin/mcp-source.js';
import { remoteFailed } from '../description.js';
import { scrubJson } from '../../brokers/network/secrets/credential-scrubber.js';
import { REMOTE_LIMITS } from '../limits.js';
import type { Connection } from './connection.js';
import { readItem, readResult } from './content.js';
import type { OwnScrubbers } from './own-secrets.js';

export interface McpSourceSpec {
  readonly id: string;
  /** Uses the connection, and opens it if needed. */
  readonly use: <T>(signal: AbortSignal, send: (one: Connection) => Promise<T>) => Promise<T>;
  readonly scrub: OwnScrubbers;
  /** The last connection that was opened. */
  readonly connected: () => Connection | undefined;
  readonly notices: Set<(notice: McpNotice) => void>;
}

const LISTS: Readonly<Record<McpList, { readonly method: string; readonly field: string }>> = {
  resources: { method: 'resources/list', field: 'resources' },
  templates: { method: 'resources/templates/list', field: 'resourceTemplates' },
  prompts: { method: 'prompts/list', field: 'prompts' },
};

/** Pages of one list. Stops a server whose list has no end. */
const MAX_PAGES = 50;
/** Bytes of one answer. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** What a connected server offers besides tools. */
export function makeMcpSource({ id, use, scrub, connected, notices }: McpSourceSpec): McpSource {
  const send = async (
    method: string,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> => {
    try {
      const answer: unknown = await use(signal, ({ client }) =>
        client.request(toSdkType({ method, params }), { signal, timeout: REMOTE_LIMITS.startMs }),
      );
      const text = JSON.stringify(answer);
      // guard: mcp-source-answer-capped
      if (text.length > MAX_ANSWER_BYTES) {
        throw new BulkheadError(
          'NETWORK_LIMIT',
          `The answer of ${id} is longer than ${MAX_ANSWER_BYTES} bytes.`,
          { limit: 'maxAnswerBytes' },
        );
      }
      // guard: mcp-source-without-credentials
      const clean = scrubJson(answer, text, scrub.answer);
      return isRecord(clean) ? clean : {};
    } catch (error) {
      if (isBulkheadError(error)) throw error;
      const why = scrub.error(messageOf(error)).slice(0, REMOTE_LIMITS.maxErrorCharacters);
      throw remoteFailed(id, `${id} did not answer ${method}: ${why}`, error);
    }
  };
  let level: LogLevel | undefined;
  return {
    id,
    get offers() {
      return offersOf(connected());
    },
    list: async (kind, signal) => {
      const { method, field } = LISTS[kind];
      const items: JsonObject[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const answer = await send(method, cursor === undefined ? {} : { cursor }, signal);
        const listed = answer[field];
        const all: readonly unknown[] = Array.isArray(listed) ? listed : [];
        items.push(...all.map((item) => readItem(kind, item)).filter((item) => item !== undefined));
        // guard: mcp-list-capped
        if (items.length >= REMOTE_LIMITS.maxTools) return items.slice(0, REMOTE_LIMITS.maxTools);
        const { nextCursor } = answer;
        if (typeof nextCursor !== 'string' || nextCursor === cursor) return items;
        cursor = nextCursor;
      }
      return items;
    },
    ask: async (method, params, signal) =>
      readResult(method, await send(method, params, signal), id),
    subscribe: async (uri, signal) => {
      const modern = await use(signal, async ({ client }) =>
        client.getProtocolEra() === 'modern'
          ? client.listen({ resourceSubscriptions: [uri] }, { timeout: REMOTE_LIMITS.startMs })
          : undefined,
      );
      if (modern !== undefined) return () => modern.close();
      await send('resources/subscribe', { uri }, signal);
      return async () => {
        await send(
          'resources/unsubscribe',
          { uri },
          AbortSignal.timeout(REMOTE_LIMITS.discoveryMs),
        ).catch(() => {});
      };
    },
    setLogLevel: async (wanted, signal) => {
      // One connection serves all clients: it has the level of the client that wants the most.
      if (level !== undefined && LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(wanted)) return;
      await send('logging/setLevel', { level: wanted }, signal);
      level = wanted;
    },
    onNotice: (listener) => {
      notices.add(listener);
      return () => notices.delete(listener);
    },
  };
}

function offersOf(connection: Connection | undefined): McpOffers {
  const offered = connection?.client.getServerCapabilities();
  return {
    resources: offered?.resources !== undefined,
    subscriptions: offered?.resources?.subscribe === true,
    prompts: offered?.prompts !== undefined,
    completions: offered?.completions !== undefined,
    logging: offered?.logging !== undefined,
  };
}
