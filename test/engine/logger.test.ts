import { describe, expect, it } from 'vitest';
import { logEvents } from '../../src/engine/logger.js';
import type { BulkheadEvent } from '../../src/index.js';

function log(...events: readonly BulkheadEvent[]): string[] {
  const lines: string[] = [];
  const at =
    (level: string) =>
    (_fields: object, message: string): void => {
      lines.push(`${level}: ${message}`);
    };
  const write = logEvents({
    logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    gateOf: () => ({ admit: () => true }),
  });
  for (const event of events) write(event);
  return lines;
}

describe('the logger', () => {
  it('logs alerts, which cannot forge a line', () => {
    const alert = { atMs: 0, type: 'alert', plugin: 'p' } as const;
    expect(
      log(
        { ...alert, level: 'warning', message: 'crashed\n{"level":50}' },
        { ...alert, level: 'info', message: 'fine' },
      ),
    ).toEqual(['warn: crashed\\n{"level":50}', 'info: fine']);
  });

  it('does not log a guest that ended normally', () => {
    const ended = { atMs: 0, type: 'guest-ended', plugin: 'p', pid: 1, detail: 'why' } as const;
    expect(
      log(
        { ...ended, cause: 'closed' },
        { ...ended, cause: 'replaced' },
        { ...ended, cause: 'idle' },
        { ...ended, cause: 'cpu' },
      ),
    ).toEqual(['warn: guest ended: why']);
  });
});
