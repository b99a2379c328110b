import { isRecord } from '../../wire/json.js';
import type { DialectWorld } from '../dialect.js';
import { MCP_LIMITS } from './limits.js';
import type { SessionSpec } from './session.js';

/** The guest as the client of its server: what it announces, and what it does with the server's messages. */
export interface ClientSide extends Pick<SessionSpec, 'onRequest' | 'onNotification'> {
  /** The capabilities for `initialize`, as the current grant has them. */
  capabilities(): object;
}

/** The host's power behind each request of a server. */
const POWERS: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

/** The lists of a server whose changes the host's clients hear of. */
const CHANGED: ReadonlyMap<string, string> = new Map([
  ['notifications/resources/list_changed', 'resources'],
  ['notifications/prompts/list_changed', 'prompts'],
]);

/** The host decides each request: the checks here only say early what is not granted. */
export function makeClientSide(world: DialectWorld): ClientSide {
  const { host } = world.powers;
  const has = (power: string): boolean => world.grant.powers?.includes(power) === true;
  return {
    capabilities: () => ({
      ...(has('elicitation')
        ? { elicitation: { form: {}, ...(world.grant.network ? { url: {} } : {}) } }
        : {}),
      ...(has('sampling') ? { sampling: {} } : {}),
      ...(has('roots') ? { roots: { listChanged: true } } : {}),
    }),
    onRequest: (method, params, onCancel) => {
      const power = POWERS.get(method);
      if (power === undefined || !has(power)) return undefined;
      return world.usePower(power, isRecord(params) ? params : {}, { onAbort: onCancel });
    },
    onNotification: (method, params) => {
      const list = CHANGED.get(method);
      if (method === 'notifications/tools/list_changed') host.notify('contributions-changed', {});
      else if (list !== undefined) host.notify('offers-changed', { list });
      else if (method === 'notifications/resources/updated') {
        host.notify('offers-changed', { uri: params['uri'] });
      } else if (method === 'notifications/message') log(world, params);
    },
  };
}

/** A log message goes to the plugin's log, and to the client of the call that runs. */
function log(world: DialectWorld, params: Readonly<Record<string, unknown>>): void {
  const { level, logger, data = null } = params;
  const text = typeof data === 'string' ? data : world.serialize(data);
  world.log(levelOf(level), [text]);
  const short = text.length <= MCP_LIMITS.maxLogData;
  world.powers.host.notify('client-log', {
    level,
    ...(typeof logger === 'string' ? { logger: logger.slice(0, MAX_LOGGER) } : {}),
    data: short ? data : text.slice(0, MCP_LIMITS.maxLogData),
  });
}

const MAX_LOGGER = 200;

function levelOf(level: unknown): 'debug' | 'info' | 'warn' | 'error' {
  if (level === 'debug') return 'debug';
  if (level === 'warning') return 'warn';
  return level === 'info' || level === 'notice' ? 'info' : 'error';
}
