import { inspect } from './inspect.js';

/**
 * One line out of what a `console` method was given: text as it is, everything else inspected, and
 * `%s` and its like filled in where the first argument is text. At most `maxText` characters, and
 * hardly more are looked at.
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

export function cutText(text: string, maxText: number): string {
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
