import type { DialectWorld } from '../dialect.js';

type Level = Parameters<DialectWorld['log']>[0];

/** pino's levels, and ours for them. */
const LEVELS: Readonly<Record<string, Level>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'error',
};

/**
 * A logger of pino's shape: `info({ id }, 'text')`, and the text first as well, as many plugins call
 * it. A child repeats its bindings with every line.
 */
export function makeLogger(log: DialectWorld['log'], bindings: readonly unknown[] = []): object {
  const to =
    (level: Level) =>
    (...parts: readonly unknown[]): void =>
      log(level, [...wordsFirst(parts), ...bindings]);
  return harden({
    ...Object.fromEntries(Object.entries(LEVELS).map(([name, level]) => [name, to(level)])),
    silent: () => {},
    level: 'debug',
    child: (more: unknown) => makeLogger(log, [...bindings, more]),
  });
}

/** The text begins the line; what it is about follows. */
function wordsFirst(parts: readonly unknown[]): readonly unknown[] {
  const [fields, text, ...rest] = parts;
  return typeof text === 'string' && typeof fields === 'object' ? [text, ...rest, fields] : parts;
}
