import { typedArrayName } from './bytes.js';

/** The budget of one inspection. Anything beyond it shows as `…`. */
interface InspectBudget {
  /** Characters. */
  readonly maxText: number;
  /** Levels of nested objects. */
  readonly maxDepth: number;
  /** Entries of one array, map, set or object. */
  readonly maxEntries: number;
}

/**
 * Describes a value for a log, similar to Node's inspector. It does not run an object's own getters
 * or its `toString`. It does run a Proxy's traps, because code cannot detect a Proxy. If a trap
 * throws, the object shows as `<unreadable>`.
 */
export function inspect(value: unknown, budget: InspectBudget): string {
  return show(value, [], { budget, textLeft: budget.maxText });
}

interface Walk {
  readonly budget: InspectBudget;
  textLeft: number;
}

function show(value: unknown, above: readonly object[], walk: Walk): string {
  if (walk.textLeft <= 0) return '…';
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
    return spend(showPrimitive(value, walk.textLeft), walk);
  }
  if (above.includes(value)) return spend('[Circular]', walk);
  try {
    return showObject(value, above, walk);
  } catch {
    return spend('<unreadable>', walk);
  }
}

/** Deducts `text` from the budget and returns the part that fits. */
function spend(text: string, walk: Walk): string {
  const shown = text.length > walk.textLeft ? `${text.slice(0, walk.textLeft)}…` : text;
  walk.textLeft -= text.length;
  return shown;
}

function showPrimitive(value: unknown, textLeft: number): string {
  if (typeof value === 'string') return quote(value.slice(0, textLeft + 1));
  if (typeof value === 'bigint') return `${value}n`;
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Quotes with single quotes, unless the text contains one. */
function quote(text: string): string {
  const quoted = JSON.stringify(text);
  return text.includes("'") ? quoted : `'${quoted.slice(1, -1).replaceAll('\\"', '"')}'`;
}

function showObject(value: object, above: readonly object[], walk: Walk): string {
  const { budget } = walk;
  const { label, brackets, entries } = readContents(value, budget.maxEntries + 1);
  if (brackets === undefined) return spend(label, walk);
  if (above.length > budget.maxDepth) {
    return spend(`[${label === '' ? (brackets === '[]' ? 'Array' : 'Object') : label}]`, walk);
  }
  const head = label === '' ? '' : spend(`${label} `, walk);
  const inside = [...above, value];
  const parts: string[] = [];
  for (const entry of entries) {
    if (parts.length >= budget.maxEntries || walk.textLeft <= 0) {
      parts.push('…');
      break;
    }
    parts.push(showEntry(entry, inside, walk));
    walk.textLeft -= 2;
  }
  const [open = '', close = ''] = brackets;
  return parts.length === 0 ? head + brackets : `${head}${open} ${parts.join(', ')} ${close}`;
}

function showEntry(entry: Entry, above: readonly object[], walk: Walk): string {
  switch (entry.kind) {
    case 'item':
      return show(entry.item, above, walk);
    case 'pair': {
      const key = show(entry.key, above, walk);
      return `${key} => ${show(entry.item, above, walk)}`;
    }
    case 'property': {
      const name = spend(`${entry.name}: `, walk);
      return name + show(entry.item, above, walk);
    }
    default:
      return spend(entry.text, walk);
  }
}

/** The visible parts of one object. */
interface Contents {
  /** The text before the brackets, or all of it if there are none. */
  readonly label: string;
  readonly brackets: '[]' | '{}' | undefined;
  readonly entries: readonly Entry[];
}

type Entry =
  | { readonly kind: 'item'; readonly item: unknown }
  | { readonly kind: 'pair'; readonly key: unknown; readonly item: unknown }
  | { readonly kind: 'property'; readonly name: string; readonly item: unknown }
  | { readonly kind: 'note'; readonly text: string };

/** Reads at most `max` entries of an object. Throws what a Proxy's traps throw. */
function readContents(value: object, max: number): Contents {
  if (typeof value === 'function') return say(nameFunction(value));
  if (Array.isArray(value)) {
    const name = className(value);
    const label = name === 'Array' || name === undefined ? '' : `${name}(${value.length})`;
    return { label, brackets: '[]', entries: readList(value, value.length, max) };
  }
  if (value instanceof Error) return readError(value, max);
  if (value instanceof Date) {
    const time = Date.prototype.getTime.call(value);
    return say(Number.isNaN(time) ? 'Invalid Date' : Date.prototype.toISOString.call(value));
  }
  if (value instanceof RegExp) return say(RegExp.prototype.toString.call(value));
  if (value instanceof Map) {
    const entries: Entry[] = [];
    Map.prototype.forEach.call(value, (item: unknown, key: unknown) => {
      if (entries.length < max) entries.push({ kind: 'pair', key, item });
    });
    return { label: `Map(${readSize(Map.prototype, value)})`, brackets: '{}', entries };
  }
  if (value instanceof Set) {
    const entries: Entry[] = [];
    Set.prototype.forEach.call(value, (item: unknown) => {
      if (entries.length < max) entries.push({ kind: 'item', item });
    });
    return { label: `Set(${readSize(Set.prototype, value)})`, brackets: '{}', entries };
  }
  const arrayName = typedArrayName(value);
  if (arrayName !== undefined) {
    const length = Number(Reflect.get(value, 'length'));
    return {
      label: `${arrayName}(${length})`,
      brackets: '[]',
      entries: readList(value, length, max),
    };
  }
  const name = className(value);
  const label = name === 'Object' ? '' : (name ?? '[Object: null prototype]');
  return { label, brackets: '{}', entries: readProperties(value, max) };
}

function say(label: string): Contents {
  return { label, brackets: undefined, entries: [] };
}

function nameFunction(value: object): string {
  const name = readData(value, 'name');
  const kind = Function.prototype.toString.call(value).startsWith('class') ? 'class' : 'Function';
  if (typeof name !== 'string' || name === '') return `[${kind} (anonymous)]`;
  return kind === 'class' ? `[class ${name}]` : `[Function: ${name}]`;
}

function readError(error: Error, max: number): Contents {
  const { name, message } = error;
  const label = [name, message]
    .filter((text) => typeof text === 'string' && text !== '')
    .join(': ');
  const entries = readProperties(error, max);
  const cause = readData(error, 'cause');
  if (cause !== undefined) entries.push({ kind: 'property', name: '[cause]', item: cause });
  return { label, brackets: entries.length === 0 ? undefined : '{}', entries };
}

function readList(list: object, length: number, max: number): Entry[] {
  return Array.from({ length: Math.min(length, max) }, (_, index) => ({
    kind: 'item',
    item: readData(list, String(index)),
  }));
}

function readProperties(value: object, max: number): Entry[] {
  const entries: Entry[] = [];
  for (const key of Reflect.ownKeys(value)) {
    if (entries.length >= max) break;
    const property = Reflect.getOwnPropertyDescriptor(value, key);
    if (property?.enumerable !== true) continue;
    const name = typeof key === 'symbol' ? `[${String(key)}]` : nameProperty(key);
    if ('value' in property) entries.push({ kind: 'property', name, item: property.value });
    else {
      const accessors = [property.get && 'Getter', property.set && 'Setter'].filter(Boolean);
      entries.push({ kind: 'note', text: `${name}: [${accessors.join('/')}]` });
    }
  }
  return entries;
}

function nameProperty(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : `'${key}'`;
}

/** An own data property's value. Does not run getters. */
function readData(object: object, key: PropertyKey): unknown {
  return Reflect.getOwnPropertyDescriptor(object, key)?.value;
}

function readSize(prototype: object, value: object): number {
  const size: unknown = Reflect.get(prototype, 'size', value);
  return typeof size === 'number' ? size : 0;
}

/** The name of the object's class, or `undefined` if it has no prototype. */
function className(value: object): string | undefined {
  if (Reflect.getPrototypeOf(value) === null) return undefined;
  const constructor: unknown = Reflect.get(value, 'constructor');
  const name = typeof constructor === 'function' ? readData(constructor, 'name') : undefined;
  return typeof name === 'string' && name !== '' ? name : 'Object';
}
