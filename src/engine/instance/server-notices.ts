import type { McpNotice } from '../../plugin/mcp-source.js';
import { LOG_LEVELS } from '../../plugin/call-client.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { OpenCalls } from './in-flight.js';

/** What the MCP servers among the plugins report by themselves. */
export interface ServerNotices {
  /** Passes on a guest's notice that its offers have changed. `params` are untrusted. */
  changed(plugin: string, params: unknown): void;
  /** Calls the listener for each notice of the plugin, also after it was reloaded. Returns how to stop. */
  on(plugin: string, listener: (notice: McpNotice) => void): () => void;
}

export function makeServerNotices(): ServerNotices {
  const listeners = new Set<{ plugin: string; listener: (notice: McpNotice) => void }>();
  return {
    changed: (plugin, params) => {
      const notice = readNotice(params);
      if (notice === undefined) return;
      for (const one of listeners) if (one.plugin === plugin) one.listener(notice);
    },
    on: (plugin, listener) => {
      const one = { plugin, listener };
      listeners.add(one);
      return () => listeners.delete(one);
    },
  };
}

/** Characters of an address. */
const MAX_URI = 4_096;

function readNotice(params: unknown): McpNotice | undefined {
  const { list, uri } = isRecord(params) ? params : {};
  if (list === 'resources') return { type: 'resources-changed' };
  if (list === 'prompts') return { type: 'prompts-changed' };
  return typeof uri === 'string' && uri.length <= MAX_URI
    ? { type: 'resource-updated', uri }
    : undefined;
}

/** Characters of the data of one log message, as JSON. A guest of ours cuts it earlier. */
const MAX_LOG_DATA = 131_072;
const MAX_LOGGER = 200;

/**
 * Passes a log message of an MCP server to the client of the call that runs. With several calls it could be for
 * the client of any, so no client gets it. `params` are untrusted.
 */
export function passClientLog({ underWay }: Pick<OpenCalls, 'underWay'>, params: unknown): void {
  const [call, ...others] = underWay;
  const log = call?.options.client?.log;
  // guard: client-log-attributed
  if (log === undefined || others.length > 0) return;
  const { level, logger, data = null } = isRecord(params) ? params : {};
  const known = LOG_LEVELS.find((one) => one === level);
  // guard: client-log-capped
  if (known === undefined || JSON.stringify(data).length > MAX_LOG_DATA) return;
  const name = typeof logger === 'string' ? { logger: logger.slice(0, MAX_LOGGER) } : {};
  try {
    log({ level: known, data, ...name });
  } catch {
    // A listener that throws must not end the guest.
  }
}
