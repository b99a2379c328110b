/** A property of what may be no object at all. Reading it may run code of the plugin's, or throw. */
export function readField(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
