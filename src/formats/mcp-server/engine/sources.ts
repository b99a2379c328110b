import { isRecord } from '../../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../../sandbox/wire/messages.js';
import type { Instance } from '../../../engine/instance/instance.js';
import { sendEvent } from '../../../engine/instance/send-event.js';
import type { PluginTable } from '../../../engine/plugins/installed.js';
import type { McpList, McpOffers, McpSource } from '../../../plugin/mcp-source.js';
import { readItem, readResult } from '../../../remotes/mcp/content.js';

/** What the MCP servers among an engine's plugins offer besides tools. */
export function serversAmong(plugins: PluginTable): readonly McpSource[] {
  return plugins.list().flatMap(({ plugin, entries }) =>
    entries.flatMap(({ entry, instances, contributions }): McpSource[] => {
      const [instance] = instances;
      if (entry.dialect !== 'mcp-server' || instance === undefined) return [];
      return [sourceOf(plugin.id, instance, contributions?.offers ?? NOTHING)];
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

function sourceOf(id: string, instance: Instance, offers: McpOffers): McpSource {
  const send = async (
    name: string,
    payload: JsonObject,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await sendEvent(id, instance, { name, payload, timeoutMs: ANSWER_MS, signal });
    return isRecord(answer) ? answer : {};
  };
  return {
    id,
    offers,
    list: async (kind, signal) => {
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
    },
    ask: async (method, params, signal) =>
      readResult(method, await send(method, params, signal), id),
    // A guest reports only that its tools changed. Its log messages are in the plugin's log.
    subscribe: async () => async () => {},
    setLogLevel: async () => {},
    onNotice: () => () => {},
  };
}
