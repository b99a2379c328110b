import type { EndowmentCapabilities } from './endowments/endowment.js';

/** The module by which the replacement of `process.env` lists the granted variables. */
export const VARIABLES_MODULE = 'bulkhead:variables';

/** The function of that module. `only`: the names that an npm package gets. */
export function makeVariableNames(
  capabilities: Pick<EndowmentCapabilities, 'grant'>,
  only?: readonly string[],
): () => readonly string[] {
  return () => {
    const names = Object.keys(capabilities.grant.env ?? {});
    // guard: package-variables-listed
    return only === undefined ? names : names.filter((name) => only.includes(name));
  };
}
