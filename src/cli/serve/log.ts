import type { Logger } from '../../index.js';
import type { TextSink } from '../powers.js';
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
