import type { Engine } from '../../agent/agent.js';
import type { Logger } from '../../engine/types/options.js';
import { jsonLine } from '../../visible.js';
import type { CliCapabilities, TextSink } from '../capabilities.js';
import { findEmpty } from '../failure.js';

/** The log of a server on standard error: one JSON object a line. */
export function makeServerLog(stderr: TextSink, now: () => Date): Logger {
  const write =
    (level: string) =>
    (fields: object, message: string): void => {
      const line = { time: now().toISOString(), level, msg: message, ...fields };
      void stderr.write(jsonLine(line));
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** Warns of named directories without a plugin. */
export async function warnIfEmpty(
  directories: readonly string[],
  engine: Engine,
  capabilities: CliCapabilities,
  logger: Logger,
): Promise<void> {
  for (const directory of await findEmpty(directories, engine.plugins(), capabilities)) {
    logger.warn({ directory }, 'the directory contains no plugin');
  }
}
