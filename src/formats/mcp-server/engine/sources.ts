import { isRecord } from '../../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../../sandbox/wire/messages.js';
import type { EngineServices, Instance } from '../../../engine/instance/instance.js';
import { sendEvent } from '../../../engine/instance/send-event.js';
import type { OfferPins } from '../../../engine/instance/offer-pins.js';
import type { ServerNotices } from '../../../engine/instance/server-notices.js';
import { BulkheadError } from '../../../errors.js';
import { visible } from '../../../visible.js';
import type { InstalledPlugin, PluginTable } from '../../../engine/plugins/installed.js';
import { LOG_LEVELS } from '../../../plugin/call-client.js';
import type { McpList, McpOffers, McpSource } from '../../../plugin/mcp-source.js';
import { readItem, readResult } from '../../../remotes/mcp/content.js';
import { makeClientWants, type ClientWants } from './client-wants.js';

/** Returns what the MCP servers among an engine's plugins offer besides tools, at the time of each call. */
export function openServers(
  plugins: PluginTable,
  { events, pins }: Pick<EngineServices, 'events' | 'pins'>,
): () => readonly McpSource[] {
  const wants = new Map<string, ClientWants>();
  const wantsOf = (id: string): ClientWants => {
    const known = wants.get(id);
    if (known !== undefined) return known;
    const made = makeClientWants({
      id,
      events,
      plugins,
      instance: () => serverIn(plugins.list().find(({ plugin }) => plugin.id === id))?.instance,
    });
    wants.set(id, made);
    return made;
  };
  return () =>
    plugins.list().flatMap((installed): McpSource[] => {
      const server = serverIn(installed);
      if (server === undefined) return [];
      const { id } = installed.plugin;
      return [sourceOf({ id, ...server, notices: plugins.notices, pins, wantsOf })];
    });
}

/** The server of a plugin; `undefined` if the plugin has none, or if it does not run. */
function serverIn(
  installed: InstalledPlugin | undefined,
): Pick<SourceSpec, 'instance' | 'offers'> | undefined {
  for (const { entry, instances, contributions } of installed?.entries ?? []) {
    const [instance] = instances;
    if (entry.dialect === 'mcp-server' && instance !== undefined) {
      return { instance, offers: contributions?.offers ?? NOTHING };
    }
  }
  return undefined;
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
  readonly wantsOf: (id: string) => ClientWants;
}

function sourceOf({ id, instance, offers, notices, pins, wantsOf }: SourceSpec): McpSource {
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
      await send('resources/subscribe', { uri }, signal);
      const end = wantsOf(id).add(uri);
      return async () => {
        if (!end()) return;
        const soon = AbortSignal.timeout(ANSWER_MS);
        await send('resources/unsubscribe', { uri }, soon).catch(() => {});
      };
    },
    setLogLevel: async (level, signal) => {
      const wants = wantsOf(id);
      const has = wants.level === undefined ? Infinity : LOG_LEVELS.indexOf(wants.level);
      if (has <= LOG_LEVELS.indexOf(level)) return;
      await send('logging/setLevel', { level }, signal);
      wants.level = level;
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
