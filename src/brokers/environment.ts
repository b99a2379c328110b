/**
 * The granted variables with the values that they have now, and with placeholders where the plugin
 * holds only references. What the source does not have is left out. The result has no prototype: a variable named `constructor` is absent unless it is granted
 * and set, and one named `__proto__` is a variable like any other.
 */
export function snapshotEnvironment(
  granted: readonly string[],
  source: Readonly<Record<string, string | undefined>>,
  references: readonly { readonly name: string; readonly placeholder: string }[] = [],
): Record<string, string> {
  const snapshot: Record<string, string> = Object.create(null);
  for (const key of granted) {
    const reference = references.find(({ name }) => name === key);
    const value = Object.hasOwn(source, key) ? source[key] : undefined;
    if (reference !== undefined) snapshot[key] = reference.placeholder;
    else if (value !== undefined) snapshot[key] = value;
  }
  return snapshot;
}
