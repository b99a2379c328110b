import type { Logger } from '../index.js';
import type { TextSink } from './powers.js';
import { visible } from './visible.js';

/**
 * Shows what plugins log, as it happens, on standard error. The engine's own warnings are left out:
 * each of them comes back as the failure that the command reports.
 */
export function makePluginLog(stderr: TextSink): Logger {
  const show =
    (level: string) =>
    (fields: object, message: string): void => {
      const ofPlugin = 'source' in fields && fields.source === 'plugin' && 'plugin' in fields;
      if (!ofPlugin && level !== 'error') return;
      const tag = ofPlugin ? visible(String(fields.plugin)) : 'bulkhead';
      void stderr.write(`[${tag}] ${level === 'info' ? '' : `${level}: `}${visible(message)}\n`);
    };
  // Plugins say debug for what is the usual line of log elsewhere.
  return { debug: show('info'), info: show('info'), warn: show('warn'), error: show('error') };
}
