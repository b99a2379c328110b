/**
 * The granted variables with the values that they have now. What the source does not have is left
 * out. The result has no prototype: a variable named `constructor` is absent unless it is granted
 * and set, and one named `__proto__` is a variable like any other.
 */
export function snapshotEnvironment(
  granted: readonly string[],
  source: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const snapshot: Record<string, string> = Object.create(null);
  for (const key of granted) {
    const value = Object.hasOwn(source, key) ? source[key] : undefined;
    if (value !== undefined) snapshot[key] = value;
  }
  return snapshot;
}
