import type { LogParams } from '../wire/methods.js';
import type { Endowed, Endowment } from './endowment.js';
import { cutText, formatLine } from './format-line.js';
import { inspect } from './inspect.js';
import { toText } from './web-idl.js';

type Level = LogParams['level'];

/**
 * `console`. A line becomes text here, inside the guest, and goes to the host's log as a notice.
 * What would measure time does nothing, whatever is granted.
 */
export const console: Endowment = {
  globals: ['console'],
  make: (powers): Endowed => {
    const counts = new Map<string, number>();
    const most = (): number => powers.limits.maxLogText;
    let indent = '';
    let revoked = false;

    const say = (level: Level, text: string): void => {
      if (revoked) return;
      const line = indent === '' ? text : indent + text.replaceAll('\n', `\n${indent}`);
      powers.host.notify('log', { level, text: cutText(line, most()) });
    };
    const at = (level: Level) => {
      return (...args: unknown[]): void => say(level, formatLine(args, most()));
    };
    const open = (...args: unknown[]): void => {
      if (args.length > 0) say('debug', formatLine(args, most()));
      if (indent.length < MAX_INDENT) indent += INDENT;
    };
    const show = (value?: unknown): void =>
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
          dir: show,
          dirxml: at('debug'),
          table: show,
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
/** Labels that are counted at a time; a plugin that makes up more begins anew. */
const MAX_COUNTERS = 1000;
