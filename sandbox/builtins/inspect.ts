/** `util.inspect`, as Node formats values. */
export interface InspectOptions {
  readonly depth?: number | null;
  readonly compact?: boolean | number;
  readonly breakLength?: number;
}

export const CUSTOM: symbol = Symbol.for('nodejs.util.inspect.custom');

export function inspect(value: unknown, options: InspectOptions | boolean = {}): string {
  const { depth = 2, breakLength = 72 } = typeof options === 'object' ? options : {};
  return write(value, depth ?? Number.POSITIVE_INFINITY, breakLength, []);
}

function write(value: unknown, depth: number, width: number, above: readonly object[]): string {
  if (typeof value === 'string') return quoteText(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'symbol') return value.toString();
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
    return String(value);
  }
  if (above.includes(value)) return '[Circular *1]';
  const custom: unknown = Reflect.get(value, CUSTOM);
  if (typeof custom === 'function') {
    const written: unknown = Reflect.apply(custom, value, [depth, {}, inspect]);
    return typeof written === 'string' ? written : write(written, depth, width, [...above, value]);
  }
  return writeObject(value, depth, width, above);
}

function writeObject(
  value: object,
  depth: number,
  width: number,
  above: readonly object[],
): string {
  const inner = (part: unknown): string => write(part, depth - 1, width, [...above, value]);
  const name = nameOf(value);
  if (value instanceof Error) {
    const own = Object.keys(value).filter((key) => key !== 'stack' && key !== 'message');
    const text = value.stack === undefined || value.stack === '' ? String(value) : value.stack;
    return own.length === 0
      ? text
      : `${text} ${layOut('{', entries(value, own, inner), '}', width)}`;
  }
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  }
  if (value instanceof RegExp) return String(value);
  if (depth < 0) return Array.isArray(value) ? '[Array]' : `[${name === '' ? 'Object' : name}]`;
  if (typeof value === 'function') {
    const title = `[Function${value.name === '' ? ' (anonymous)' : `: ${value.name}`}]`;
    const own = entries(value, Object.keys(value), inner);
    return own.length === 0 ? title : `${title} ${layOut('{', own, '}', width)}`;
  }
  if (Array.isArray(value)) return layOut('[', list(value, inner), ']', width);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    return `${name}(${Reflect.get(value, 'length')}) ${layOut('[', list(Array.from(value as Uint8Array), inner), ']', width)}`;
  }
  if (value instanceof Map) {
    const pairs = Array.from(value, ([key, item]) => `${inner(key)} => ${inner(item)}`);
    return `Map(${value.size}) ${layOut('{', pairs, '}', width)}`;
  }
  if (value instanceof Set) {
    return `Set(${value.size}) ${layOut('{', Array.from(value, inner), '}', width)}`;
  }
  if (value instanceof Promise) return 'Promise { <pending> }';
  const prefix = name === 'Object' ? '' : `${name === '' ? '[Object: null prototype]' : name} `;
  return prefix + layOut('{', entries(value, Reflect.ownKeys(value), inner), '}', width);
}

/** At most a hundred items, as Node writes. */
function list(values: readonly unknown[], inner: (value: unknown) => string): string[] {
  const shown = values.slice(0, 100).map(inner);
  const more = values.length - shown.length;
  return more > 0 ? [...shown, `... ${more} more item${more > 1 ? 's' : ''}`] : shown;
}

function entries(
  value: object,
  keys: readonly (string | symbol)[],
  inner: (value: unknown) => string,
): string[] {
  return keys.flatMap((key) => {
    const property = Reflect.getOwnPropertyDescriptor(value, key);
    if (property?.enumerable !== true) return [];
    const name =
      typeof key === 'symbol'
        ? `[${key.toString()}]`
        : /^[A-Za-z_$][\w$]*$/.test(key)
          ? key
          : quoteText(key);
    if (property.get !== undefined) {
      return [`${name}: ${property.set === undefined ? '[Getter]' : '[Getter/Setter]'}`];
    }
    return [`${name}: ${inner(property.value)}`];
  });
}

function layOut(open: string, parts: readonly string[], close: string, width: number): string {
  if (parts.length === 0) return open + close;
  const line = `${open} ${parts.join(', ')} ${close}`;
  if (line.length <= width && !line.includes('\n')) return line;
  return `${open}\n  ${parts.join(',\n').replaceAll('\n', '\n  ')}\n${close}`;
}

function nameOf(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== 'object' || prototype === null) return '';
  const { constructor } = prototype;
  return typeof constructor === 'function' ? constructor.name : '';
}

function quoteText(text: string): string {
  const escaped = text.replace(/[\\\n\r\t\b\f\v]/g, (character) =>
    JSON.stringify(character).slice(1, -1),
  );
  if (!text.includes("'")) return `'${escaped}'`;
  return text.includes('"') ? `'${escaped.replaceAll("'", "\\'")}'` : `"${escaped}"`;
}

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
