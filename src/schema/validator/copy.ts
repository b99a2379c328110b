/** Levels of nesting in an input; the validator recurses along them where a schema does. */
const MAX_DEPTH = 200;

/**
 * Copies an input, so that filling in defaults changes nobody else's object; `undefined` for one
 * that is nested too deeply. Keys named `__proto__` are left out: whoever spreads or assigns the
 * value later would set a prototype with them.
 */
export function copyInput(input: unknown): { readonly value: unknown } | undefined {
  try {
    return { value: copy(input, 0) };
  } catch (error) {
    if (error === TOO_DEEP) return undefined;
    throw error;
  }
}

const TOO_DEEP = new Error('too deep');

function copy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) throw TOO_DEEP;
  if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
  // Defines properties, where an assignment would fail on names that frozen prototypes have.
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '__proto__')
      .map(([key, item]) => [key, copy(item, depth + 1)]),
  );
}
