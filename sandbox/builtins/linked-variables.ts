/** The argument of a bundle. A bundle that runs without it lists nothing. */
declare const $bulkhead: { readonly modules: Readonly<Record<string, unknown>> } | undefined;

/** The names of the granted variables. */
export function linkedVariables(): readonly string[] {
  if (typeof $bulkhead === 'undefined') return [];
  const names: unknown = $bulkhead.modules['bulkhead:variables'];
  return isList(names) ? names() : [];
}

function isList(names: unknown): names is () => readonly string[] {
  return typeof names === 'function';
}
