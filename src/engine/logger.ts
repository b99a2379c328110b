import type { BulkheadEvent, EventListener, GuestEndCause } from '../events.js';
import { escapeControls, type LogGate } from './log-gate.js';
import type { Logger } from './options/options.js';

/**
 * The logger of a host that brought none: pino on standard error, warnings and errors. It is loaded
 * when something is first logged; lines keep their order.
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

/** Ends that are nobody's fault. */
const ORDINARY: ReadonlySet<GuestEndCause> = new Set(['closed', 'replaced', 'idle']);

/** The types of events that are logged. */
export const LOGGED: readonly BulkheadEvent['type'][] = [
  'log',
  'plugin-refused',
  'alert',
  'guest-ended',
  'capability-denied',
  'call-ended',
  'hook-ended',
];

export interface LogSpec {
  readonly logger: Logger;
  /** Lets through as many denials of one plugin as it may log lines. */
  readonly gateOf: (plugin: string) => Pick<LogGate, 'admit'>;
}

/**
 * Writes into the host's log what it has to know, each line tagged with its plugin. Whatever is a
 * plugin's own words in it is shown on one line, and steers nobody's terminal.
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
      case 'alert': {
        const { plugin, level, message } = event;
        return write(level === 'warning' ? 'warn' : 'info', { plugin }, message);
      }
      case 'guest-ended': {
        const { plugin, cause, detail } = event;
        if (ORDINARY.has(cause)) return undefined;
        return write('warn', { plugin, cause }, `guest ended: ${detail}`);
      }
      case 'capability-denied': {
        const { plugin, permission, wanted } = event;
        if (!admits(plugin)) return undefined;
        return write('info', { plugin, permission, wanted }, 'denied');
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
      default:
        return undefined;
    }
  };
}

type Fields = Readonly<Record<string, string | undefined>>;

/** A stack keeps its lines. */
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
