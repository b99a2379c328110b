/**
 * A deep copy of plain data. A value in it that is not plain data becomes `UNLIKE`, which equals
 * nothing. `value` must not contain a circle.
 */
export function copyPlain(value: unknown): unknown {
  if (typeof value === 'function') return UNLIKE;
  if (typeof value !== 'object' || value === null) return value;
  if (!isPlain(value)) return UNLIKE;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (let at = 0; at < value.length; at += 1) list.push(copyPlain(value[at]));
    return list;
  }
  // Spread copies an own `__proto__` as an own property.
  const record: Record<string, unknown> = { ...value };
  for (const key of Object.keys(record)) {
    const inner = record[key];
    if (typeof inner === 'object' || typeof inner === 'function') record[key] = copyPlain(inner);
  }
  return record;
}

/**
 * Whether a value has exactly the JSON of the value that `copy` was made from. `false` proves nothing:
 * some JSON can be written in two ways.
 */
export function isSamePlain(copy: unknown, value: unknown): boolean {
  if (!isObject(copy) || !isObject(value)) return Object.is(copy, value);
  if (!isPlain(value)) return false;
  if (Array.isArray(copy)) {
    if (!Array.isArray(value) || copy.length !== value.length) return false;
    for (let at = 0; at < copy.length; at += 1) {
      if (!isSamePlain(copy[at], value[at])) return false;
    }
    return true;
  }
  const keys = Object.keys(value);
  const copied = Object.keys(copy);
  if (Array.isArray(value) || keys.length !== copied.length) return false;
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] ?? '';
    if (key !== copied[at] || !isSamePlain(copy[key], value[key])) return false;
  }
  return true;
}

/** A value that plugin code cannot have. It does not equal itself. */
const UNLIKE: unique symbol = Symbol('unlike');

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Whether its JSON depends only on its properties. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== Array.prototype) return false;
  return !('toJSON' in value);
}
