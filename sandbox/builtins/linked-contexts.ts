import { type AsyncContextsFace, makeAsyncContexts } from '../endowments/async-contexts.js';

/** The argument of a bundle. A bundle that runs without it has contexts that follow no promise. */
declare const $bulkhead: { readonly modules: Readonly<Record<string, unknown>> } | undefined;

let contexts: AsyncContextsFace | undefined;

/** The values that belong to the code that runs now and to what it starts. */
export function linkedContexts(): AsyncContextsFace {
  contexts ??= findContexts() ?? makeAsyncContexts(() => {}).face;
  return contexts;
}

function findContexts(): AsyncContextsFace | undefined {
  if (typeof $bulkhead === 'undefined') return undefined;
  const found: unknown = $bulkhead.modules['bulkhead:contexts'];
  return isContexts(found) ? found : undefined;
}

function isContexts(found: unknown): found is AsyncContextsFace {
  return typeof found === 'object' && found !== null && 'snapshot' in found;
}
