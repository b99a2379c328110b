import type { Engine, Logger } from '../../index.js';
import { findEmpty } from '../directories.js';
import type { CliPowers, TextSink } from '../powers.js';
import { jsonLine } from '../visible.js';

/** A server's log on standard error: one JSON object a line, for whoever gathers them. */
export function makeServerLog(stderr: TextSink, now: () => Date): Logger {
  const write =
    (level: string) =>
    (fields: object, message: string): void => {
      const line = { time: now().toISOString(), level, msg: message, ...fields };
      void stderr.write(jsonLine(line));
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** Tells which of the directories that were named hold no plugin. */
export async function tellEmpty(
  directories: readonly string[],
  engine: Engine,
  powers: CliPowers,
  logger: Logger,
): Promise<void> {
  for (const directory of await findEmpty(directories, engine.plugins(), powers)) {
    logger.warn({ directory }, 'no plugin is there');
  }
}
