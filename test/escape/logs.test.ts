import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type Logger } from '../../src/engine/types/options.js';
import { MAIN } from '../cli/spawned.js';
import { fixture, stage } from './attempt.js';
import type { Verdict } from './verdicts.js';

/** What steers a terminal, breaks a line, hides, or reverses what is read. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe('code that writes lines that imitate another source', () => {
  const records: { readonly level: string; readonly fields: object; readonly message: string }[] =
    [];
  const record =
    (level: string) =>
    (fields: object, message: string): void =>
      void records.push({ level, fields, message });
  const logger: Logger = {
    debug: record('debug'),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
  };

  const escapeAttempt = stage({
    hostile: 'forges-its-log',
    options: () => ({ logger, limits: { maxLogLinesPerSecond: 1_000 } }),
  });

  const nothingForged: Verdict = ({ events }) => {
    expect(records.length).toBeGreaterThan(0);
    for (const { fields, message } of records) {
      for (const text of [message, ...Object.values(fields)]) {
        // A stack has lines: it is a field of its own, and never the line that is read.
        expect(String(text).replaceAll('\n', '')).not.toMatch(UNSEEN);
      }
      expect(message).not.toContain('\n');
      expect(Object.values(fields)).not.toContain('another');
    }
    for (const event of events) if (event.type === 'log') expect(event.text).not.toMatch(UNSEEN);
  };

  for (const tool of ['console', 'logger', 'faults', 'denials', 'errors']) {
    escapeAttempt({
      tries: `its ${tool}`,
      tool,
      verdict: async (outcome) => {
        await expect.poll(() => records.length).toBeGreaterThan(0);
        await nothingForged(outcome);
        records.length = 0;
      },
    });
  }
});

describe('a plugin whose every text would steer a terminal', () => {
  it.each([['tools'], ['inspect']])('is shown harmless by the command %s', (command) => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [MAIN, command, fixture('forges-its-log')],
      { encoding: 'utf8' },
    );
    expect(status).toBeOneOf([0, 2]);
    const shown = `${stdout}${stderr}`;
    expect(shown).toContain('forges-its-log');
    expect(shown.replaceAll(/[\n\t]/g, '')).not.toMatch(UNSEEN);
  });
});
