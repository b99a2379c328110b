import { isRecord } from '../../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../../sandbox/wire/messages.js';
import type { Instance } from '../../../engine/instance/instance.js';
import { sendEvent } from '../../../engine/instance/send-event.js';
import type { OfferPins } from '../../../engine/instance/offer-pins.js';
import type { ServerNotices } from '../../../engine/instance/server-notices.js';
import { BulkheadError } from '../../../errors.js';
import { visible } from '../../../visible.js';
import type { PluginTable } from '../../../engine/plugins/installed.js';
import { LOG_LEVELS, type LogLevel } from '../../../plugin/call-client.js';
import type { McpList, McpOffers, McpSource } from '../../../plugin/mcp-source.js';
import { readItem, readResult } from '../../../remotes/mcp/content.js';

/** What the MCP servers among an engine's plugins offer besides tools. */
export function serversAmong(
  plugins: PluginTable,
  pins: OfferPins | undefined,
): readonly McpSource[] {
  return plugins.list().flatMap(({ plugin, entries }) =>
    entries.flatMap(({ entry, instances, contributions }): McpSource[] => {
      const [instance] = instances;
      if (entry.dialect !== 'mcp-server' || instance === undefined) return [];
      const offers = contributions?.offers ?? NOTHING;
      return [sourceOf({ id: plugin.id, instance, offers, notices: plugins.notices, pins })];
    }),
  );
}

const NOTHING: McpOffers = {
  resources: false,
  subscriptions: false,
  prompts: false,
  completions: false,
  logging: false,
};

const LISTS: Readonly<Record<McpList, { readonly method: string; readonly field: string }>> = {
  resources: { method: 'resources/list', field: 'resources' },
  templates: { method: 'resources/templates/list', field: 'resourceTemplates' },
  prompts: { method: 'prompts/list', field: 'prompts' },
};

/** Pages of one list. Stops a server whose list has no end. */
const MAX_PAGES = 50;
/** Items of one list. */
const MAX_ITEMS = 1_000;
/** Milliseconds for one answer. */
const ANSWER_MS = 30_000;

interface SourceSpec {
  readonly id: string;
  readonly instance: Instance;
  readonly offers: McpOffers;
  readonly notices: ServerNotices;
  readonly pins: OfferPins | undefined;
}

/** What the clients of one session want. All clients share it. */
interface Wanted {
  /** The level of the client that wants the most. */
  level: LogLevel | undefined;
  /** The number of subscriptions, by address. */
  readonly subscriptions: Map<string, number>;
}

const wantedOf = new WeakMap<Instance, Wanted>();

function sourceOf({ id, instance, offers, notices, pins }: SourceSpec): McpSource {
  const wanted = wantedOf.get(instance) ?? { level: undefined, subscriptions: new Map() };
  wantedOf.set(instance, wanted);
  const send = async (
    name: string,
    payload: JsonObject,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await sendEvent(id, instance, { name, payload, timeoutMs: ANSWER_MS, signal });
    return isRecord(answer) ? answer : {};
  };
  const list = async (kind: McpList, signal: AbortSignal): Promise<JsonObject[]> => {
    const { method, field } = LISTS[kind];
    const items: JsonObject[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await send(method, cursor === undefined ? {} : { cursor }, signal);
      const listed = answer[field];
      const all: readonly unknown[] = Array.isArray(listed) ? listed : [];
      items.push(...all.map((item) => readItem(kind, item)).filter((item) => item !== undefined));
      const { nextCursor } = answer;
      // guard: mcp-plugin-list-capped
      if (items.length >= MAX_ITEMS) return items.slice(0, MAX_ITEMS);
      if (typeof nextCursor !== 'string' || nextCursor === cursor) return items;
      cursor = nextCursor;
    }
    return items;
  };
  return {
    id,
    offers,
    list: async (kind, signal) => {
      const listed = await list(kind, signal);
      return kind === 'prompts' && pins !== undefined ? pins.prompts(instance, id, listed) : listed;
    },
    ask: async (method, params, signal) => {
      const { name } = params;
      if (
        method === 'prompts/get' &&
        typeof name === 'string' &&
        pins?.isWithheld(instance, id, name) === true
      ) {
        throw withheld(id, name);
      }
      return readResult(method, await send(method, params, signal), id);
    },
    subscribe: async (uri, signal) => {
      const { subscriptions } = wanted;
      await send('resources/subscribe', { uri }, signal);
      subscriptions.set(uri, (subscriptions.get(uri) ?? 0) + 1);
      let isOpen = true;
      return async () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (subscriptions.get(uri) ?? 1) - 1;
        if (left > 0) subscriptions.set(uri, left);
        else {
          subscriptions.delete(uri);
          const soon = AbortSignal.timeout(ANSWER_MS);
          await send('resources/unsubscribe', { uri }, soon).catch(() => {});
        }
      };
    },
    setLogLevel: async (level, signal) => {
      const has = wanted.level === undefined ? Infinity : LOG_LEVELS.indexOf(wanted.level);
      if (has <= LOG_LEVELS.indexOf(level)) return;
      await send('logging/setLevel', { level }, signal);
      wanted.level = level;
    },
    onNotice: (listener) => notices.on(id, listener),
  };
}

function withheld(id: string, prompt: string): BulkheadError {
  return new BulkheadError(
    'REMOTE_CHANGED',
    `The prompt ${visible(prompt.slice(0, 200))} of ${id} is withheld until its operator has reviewed it. The log says how to accept it.`,
    { remote: id, tool: prompt },
  );
}
