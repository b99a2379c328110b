import type { BulkheadEvent, GuestEndCause } from '../events.js';
import { escapeControls } from './log-gate.js';
import type { Logger } from './options.js';

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

/** Writes into the host's log what it has to know, each line tagged with its plugin. */
export function logEvents(logger: Logger): (event: BulkheadEvent) => void {
  return (event) => {
    switch (event.type) {
      case 'log':
        return logger[event.level]({ plugin: event.plugin, source: 'plugin' }, event.text);
      case 'plugin-refused':
        return logger.warn({ directory: event.directory, code: event.code }, event.message);
      case 'alert':
        return logger[event.level === 'warning' ? 'warn' : 'info'](
          { plugin: event.plugin },
          escapeControls(event.message),
        );
      case 'guest-ended':
        if (ORDINARY.has(event.cause)) return undefined;
        return logger.warn(
          { plugin: event.plugin, cause: event.cause },
          `guest ended: ${event.detail}`,
        );
      case 'capability-denied':
        return logger.info(
          { plugin: event.plugin, permission: event.permission, wanted: event.wanted },
          'denied',
        );
      case 'call-ended':
        if (event.outcome === 'ok') return undefined;
        return logger.info(
          {
            plugin: event.plugin,
            tool: event.tool,
            call: event.call,
            code: event.code,
            stack: event.stack,
          },
          'call failed',
        );
      default:
        return undefined;
    }
  };
}
