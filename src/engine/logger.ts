import type { BulkheadEvent, EventBus, EventListener, GuestEndCause } from '../events.js';
import { escapeControls, type LogGate, makeLogGate } from './instance/log-gate.js';
import type { Logger } from './types/options.js';
import type { Settings } from './types/settings.js';

/**
 * The default logger: pino on standard error, for warnings and errors. Pino is loaded when a message
 * is first logged. Messages stay in order.
 */
export function makeDefaultLogger(): Logger {
  let loading: Promise<Logger> | undefined;
  const later =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      loading ??= loadPino();
      void loading.then((logger) => logger[level](fields, message));
    };
  return { debug: () => {}, info: () => {}, warn: later('warn'), error: later('error') };
}

async function loadPino(): Promise<Logger> {
  const { pino } = await import('pino');
  const logger = pino(
    { name: 'bulkhead', level: 'warn' },
    pino.destination({ dest: 2, sync: true }),
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

/** Normal causes of a guest's end. They are not logged. */
const ORDINARY: ReadonlySet<GuestEndCause> = new Set(['closed', 'replaced', 'idle', 'stopped']);

/** The types of events that are logged. */
export const LOGGED: readonly BulkheadEvent['type'][] = [
  'log',
  'plugin-refused',
  'reload-failed',
  'alert',
  'guest-ended',
  'state-lost',
  'call-rerun',
  'capability-denied',
  'call-ended',
  'hook-ended',
  'work-stopped',
  'work-resumed',
];

export interface LogSpec {
  readonly logger: Logger;
  /** Limits the logged denials of one plugin per second. */
  readonly gateOf: (plugin: string) => Pick<LogGate, 'admit'>;
}

/**
 * Writes events to the host's log, each line with its plugin. Control characters in text from a plugin
 * are escaped, so that the text stays on one line and cannot control a terminal.
 */
export function logEvents({ logger, gateOf }: LogSpec): EventListener {
  const gates = new Map<string, Pick<LogGate, 'admit'>>();
  const admits = (plugin: string): boolean => {
    const gate = gates.get(plugin) ?? gateOf(plugin);
    gates.set(plugin, gate);
    return gate.admit();
  };
  const write = (level: keyof Logger, fields: Fields, message: string): void =>
    logger[level](shown(fields), escapeControls(message));

  return (event) => {
    switch (event.type) {
      case 'log':
        return write(event.level, { plugin: event.plugin, source: 'plugin' }, event.text);
      case 'plugin-refused':
        return write('warn', { directory: event.directory, code: event.code }, event.message);
      case 'reload-failed': {
        const { plugin, code, message } = event;
        const kept = plugin === undefined ? 'nothing changed' : 'the previous version runs on';
        return write('error', { plugin, code }, `reload failed, ${kept}: ${message}`);
      }
      case 'alert': {
        const { plugin, level, message } = event;
        return write(level === 'warning' ? 'warn' : 'info', { plugin }, message);
      }
      case 'guest-ended': {
        const { plugin, cause, detail } = event;
        if (ORDINARY.has(cause)) return undefined;
        return write('warn', { plugin, cause }, `guest ended: ${detail}`);
      }
      case 'state-lost': {
        const { plugin, cause, detail } = event;
        const level = cause === 'idle' ? 'info' : 'warn';
        return write(level, { plugin, cause }, `state in memory was lost: ${detail}`);
      }
      case 'call-rerun': {
        const { plugin, tool, call, reason } = event;
        return write('info', { plugin, tool, call }, `call runs again: ${reason}`);
      }
      case 'capability-denied': {
        const { plugin, permission, wanted, package: inPackage } = event;
        if (!admits(plugin)) return undefined;
        return write('info', { plugin, permission, wanted, package: inPackage }, 'denied');
      }
      case 'call-ended': {
        const { plugin, tool, call, code, stack, outcome } = event;
        if (outcome === 'ok') return undefined;
        return write('info', { plugin, tool, call, code, stack }, 'call failed');
      }
      case 'hook-ended': {
        const { plugin, hook, code, stack, dropped } = event;
        if (event.outcome === 'error') {
          return write('warn', { plugin, hook, code, stack }, event.message ?? 'hook failed');
        }
        if (dropped.length === 0) return undefined;
        return write('info', { plugin, hook }, `wrote in vain to ${dropped.join(', ')}`);
      }
      case 'work-stopped':
      case 'work-resumed': {
        const { stopped, plugin, tenant, by, reason } = event;
        const did = event.type === 'work-stopped' ? 'the operator stopped' : 'the operator resumed';
        return write('warn', { stopped, plugin, tenant, by, reason }, `${did} ${stopped}`);
      }
      default:
        return undefined;
    }
  };
}

type Fields = Readonly<Record<string, string | undefined>>;

/** Escapes control characters. Line breaks in a stack are preserved. */
function shown(fields: Fields): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [
      name,
      name === 'stack'
        ? text?.split('\n').map(escapeControls).join('\n')
        : text && escapeControls(text),
    ]),
  );
}

/** Connects the host's logger and its `onEvent` listener to the events. */
export function listen(
  { logger, limits, onEvent }: Pick<Settings, 'logger' | 'limits' | 'onEvent'>,
  events: EventBus,
): void {
  const { maxLogLinesPerSecond } = limits;
  const gateOf = (plugin: string) =>
    makeLogGate({ plugin, events, maxLogLinesPerSecond, now: Date.now });
  events.on(logEvents({ logger, gateOf }), LOGGED);
  if (onEvent !== undefined) events.on(onEvent);
}
