/**
 * The granted variables with their current values, or with a placeholder if the plugin has only a
 * reference. Unset variables are omitted. The result has no prototype: `constructor` is absent
 * unless it is granted and set, and `__proto__` is an ordinary variable.
 */
export function snapshotEnvironment(
  granted: readonly string[],
  source: Readonly<Record<string, string | undefined>>,
  references: readonly { readonly name: string; readonly placeholder: string }[] = [],
): Record<string, string> {
  const snapshot: Record<string, string> = Object.create(null);
  // guard: only-granted-variables
  for (const key of granted) {
    const reference = references.find(({ name }) => name === key);
    const value = Object.hasOwn(source, key) ? source[key] : undefined;
    // guard: secret-variable-is-placeholder
    if (reference !== undefined) snapshot[key] = reference.placeholder;
    else if (value !== undefined) snapshot[key] = value;
  }
  return snapshot;
}
