import type { LogParams } from '../wire/methods.js';
import type { Endowed, Endowment } from './endowment.js';
import { inspect } from './inspect.js';
import { toText } from './web-idl.js';

type Level = LogParams['level'];

/**
 * `console`. The guest formats each line and sends it to the host's log as a notice. The timing
 * methods do nothing, whatever the grant.
 */
export const console: Endowment = {
  globals: ['console'],
  make: (capabilities): Endowed => {
    const counts = new Map<string, number>();
    const most = (): number => capabilities.limits.maxLogText;
    let indent = '';
    let revoked = false;

    const say = (level: Level, text: string): void => {
      if (revoked) return;
      const line = indent === '' ? text : indent + text.replaceAll('\n', `\n${indent}`);
      // guard: guest-log-line-cap
      const cut = cutText(line, most());
      capabilities.logged?.(level, cut);
      capabilities.host.notify('log', { level, text: cut });
    };
    const at = (level: Level) => {
      return (...args: unknown[]): void => say(level, formatLine(args, most()));
    };
    const open = (...args: unknown[]): void => {
      if (args.length > 0) say('debug', formatLine(args, most()));
      if (indent.length < MAX_INDENT) indent += INDENT;
    };
    const dir = (value?: unknown): void =>
      say('debug', inspect(value, { maxText: most(), maxDepth: 4, maxEntries: 100 }));

    return {
      globals: {
        console: {
          debug: at('debug'),
          log: at('debug'),
          trace: at('debug'),
          info: at('info'),
          warn: at('warn'),
          error: at('error'),
          assert: (condition?: unknown, ...args: unknown[]): void => {
            if (!condition) say('error', formatLine(['Assertion failed', ...args], most()));
          },
          dir,
          dirxml: at('debug'),
          table: dir,
          count: (label: unknown = 'default'): void => {
            const name = toText(label);
            const count = (counts.get(name) ?? 0) + 1;
            if (counts.size >= MAX_COUNTERS) counts.clear();
            counts.set(name, count);
            say('debug', `${name}: ${count}`);
          },
          countReset: (label: unknown = 'default'): void => {
            counts.delete(toText(label));
          },
          group: open,
          groupCollapsed: open,
          groupEnd: (): void => {
            indent = indent.slice(INDENT.length);
          },
          clear: nothing,
          time: nothing,
          timeLog: nothing,
          timeEnd: nothing,
          timeStamp: nothing,
        },
      },
      revoke: () => {
        revoked = true;
      },
    };
  },
};

const nothing = (): void => undefined;
const INDENT = '  ';
const MAX_INDENT = 40;
/** The maximum number of counted labels. One more clears all counters. */
const MAX_COUNTERS = 1000;

/**
 * Formats the arguments of a `console` method as one line: text unchanged, other values inspected,
 * and `%s` and similar marks replaced if the first argument is text. Returns at most `maxText`
 * characters and inspects little more.
 */
export function formatLine(args: readonly unknown[], maxText: number): string {
  const [first, ...rest] = args;
  const parts: string[] = [];
  let used = 0;
  let left = rest;
  const add = (part: string): void => {
    parts.push(part);
    used += part.length + 1;
  };
  if (typeof first === 'string') {
    const filled = fill(first.slice(0, maxText + 1), rest, maxText);
    add(filled.text);
    left = rest.slice(filled.taken);
  } else if (args.length > 0) add(show(first, maxText));
  for (const arg of left) {
    if (used > maxText) break;
    add(typeof arg === 'string' ? arg.slice(0, maxText + 1) : show(arg, maxText - used));
  }
  return cutText(parts.join(' '), maxText);
}

function cutText(text: string, maxText: number): string {
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
}

function fill(
  format: string,
  args: readonly unknown[],
  maxText: number,
): { readonly text: string; readonly taken: number } {
  let taken = 0;
  let used = 0;
  const text = format.replace(/%[sdifjoOc%]/g, (mark) => {
    if (mark === '%%') return args.length === 0 ? mark : '%';
    if (taken >= args.length || used > maxText) return mark;
    const part = convert(mark, args[taken], maxText);
    taken += 1;
    used += part.length;
    return part;
  });
  return { text, taken };
}

function convert(mark: string, arg: unknown, maxText: number): string {
  switch (mark) {
    case '%c':
      return '';
    case '%s':
      return typeof arg === 'string' ? arg.slice(0, maxText + 1) : show(arg, maxText);
    case '%d':
    case '%i':
    case '%f': {
      if (typeof arg !== 'number' && typeof arg !== 'string' && typeof arg !== 'bigint')
        return 'NaN';
      const number = Number(arg);
      return String(mark === '%i' ? Math.trunc(number) : number);
    }
    default:
      return show(arg, maxText);
  }
}

function show(value: unknown, maxText: number): string {
  return inspect(value, { maxText: Math.max(maxText, 0), maxDepth: 2, maxEntries: 100 });
}
