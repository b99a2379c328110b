import { typedArrayName } from './bytes.js';

/** What an inspector shows of one object. */
export interface Contents {
  /** What goes before the brackets; the whole, where there are none. */
  readonly label: string;
  readonly brackets: '[]' | '{}' | undefined;
  readonly entries: readonly Entry[];
}

export type Entry =
  | { readonly kind: 'item'; readonly item: unknown }
  | { readonly kind: 'pair'; readonly key: unknown; readonly item: unknown }
  | { readonly kind: 'property'; readonly name: string; readonly item: unknown }
  | { readonly kind: 'note'; readonly text: string };

/** Reads at most `max` entries of an object. Throws what a Proxy's traps throw. */
export function readContents(value: object, max: number): Contents {
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

/** A property's own value, unless it takes a getter to read it. */
function readData(object: object, key: PropertyKey): unknown {
  return Reflect.getOwnPropertyDescriptor(object, key)?.value;
}

function readSize(prototype: object, value: object): number {
  const size: unknown = Reflect.get(prototype, 'size', value);
  return typeof size === 'number' ? size : 0;
}

/** The name of the class that an object is of; `undefined` where it is of none. */
function className(value: object): string | undefined {
  if (Reflect.getPrototypeOf(value) === null) return undefined;
  const constructor: unknown = Reflect.get(value, 'constructor');
  const name = typeof constructor === 'function' ? readData(constructor, 'name') : undefined;
  return typeof name === 'string' && name !== '' ? name : 'Object';
}
