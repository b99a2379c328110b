import { isObject, join, wrong, type Shape, type Shaped } from './shape.js';

/** A field that may be missing. `null` is not missing. */
export interface Optional<T> {
  readonly optional: Shape<T>;
}

export function optional<T>(shape: Shape<T>): Optional<T> {
  return { optional: shape };
}

type Field = Shape<unknown> | Optional<unknown>;
type Fields = Readonly<Record<string, Field>>;

/** What an object of these fields is read to. */
export type ObjectOf<F extends Fields> = {
  readonly [Key in keyof F as F[Key] extends Shape<unknown> ? Key : never]: Shaped<F[Key]>;
} & {
  readonly [
    Key in keyof F as F[Key] extends Optional<unknown> ? Key : never
  ]?: F[Key] extends Optional<infer T> ? T : never;
};

/**
 * An object of named fields. Keys that are not named are a problem each where `unknownKeys` is
 * `refuse`, and left out where it is `drop`. Inherited properties do not count.
 */
export function object<F extends Fields>(
  fields: F,
  unknownKeys: 'refuse' | 'drop' = 'drop',
): Shape<ObjectOf<F>> {
  const all = Object.entries(fields).map(([key, field]) => ({ key, field, name: join('', key) }));
  return {
    read: (value, at, problems) => {
      if (!isObject(value)) return wrong('an object', value, at, problems);
      const before = problems.length;
      const entries: (readonly unknown[])[] = [];
      for (const { key, field, name } of all) {
        // Most fields are optional, and absent.
        if ('optional' in field && value[key] === undefined) continue;
        const read = readField(value, key, field, at === '' ? name : `${at}.${name}`, problems);
        if (read !== undefined) entries.push([key, read.value]);
      }
      if (unknownKeys === 'refuse') {
        for (const key of Object.keys(value)) {
          if (!Object.hasOwn(fields, key)) problems.push(`${join(at, key)}: is not known`);
        }
      }
      if (problems.length > before) return undefined;
      // Each key with what its own shape read is what the mapped type says; TypeScript cannot
      // follow that through the entries, and takes the result for `any`.
      return { value: Object.fromEntries(entries) };
    },
  };
}

function readField(
  value: Readonly<Record<string, unknown>>,
  key: string,
  field: Field,
  at: string,
  problems: string[],
): { readonly value: unknown } | undefined {
  const isOptional = 'optional' in field;
  if (!Object.hasOwn(value, key) || value[key] === undefined) {
    if (!isOptional) problems.push(`${at}: is missing`);
    return undefined;
  }
  const shape = isOptional ? field.optional : field;
  return shape.read(value[key], at, problems);
}
