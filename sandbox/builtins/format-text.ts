import { inspect } from './inspect-value.js';

/** `util.format`: a text with `%s`, `%d`, `%i`, `%f`, `%j`, `%o`, `%O`, `%c`, then the rest. */
export function format(...args: unknown[]): string {
  const [first, ...rest] = args;
  const left = [...rest];
  const head =
    typeof first === 'string'
      ? first.replace(/%[sdifjoOc%]/g, (mark) => {
          if (mark === '%%') return rest.length > 0 ? '%' : mark;
          return left.length === 0 ? mark : substitute(mark, left.shift());
        })
      : args.length > 0
        ? inspect(first)
        : '';
  const tail = left.map((value) => (typeof value === 'string' ? value : inspect(value)));
  return args.length === 0 ? '' : [head, ...tail].join(' ');
}

function substitute(mark: string, value: unknown): string {
  switch (mark) {
    case '%s':
      return typeof value === 'object' && value !== null
        ? inspect(value, { depth: 0 })
        : textOf(value);
    case '%d':
      return typeof value === 'bigint' ? `${value}n` : numberOf(value, Number);
    case '%i':
      return typeof value === 'bigint'
        ? `${value}n`
        : numberOf(value, (x) => Number.parseInt(String(x), 10));
    case '%f':
      return numberOf(value, (x) => Number.parseFloat(String(x)));
    case '%j':
      return toJson(value);
    case '%c':
      return '';
    default:
      return inspect(value, { depth: 4 });
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  return Object.is(value, -0) ? '-0' : String(value);
}

function numberOf(value: unknown, read: (value: unknown) => number): string {
  return typeof value === 'object' || typeof value === 'symbol' ? 'NaN' : String(read(value));
}

function toJson(value: unknown): string {
  try {
    return String(JSON.stringify(value));
  } catch {
    return '[Circular]';
  }
}
