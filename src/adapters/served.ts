import type { Catalog, CatalogTool } from '../catalog/catalog.js';

/** The tools of a catalog that are served: the same whether they are listed or run. */
export interface ServedTools {
  list(): readonly CatalogTool[];
  /** By its exported name alone, and without a look at the others: there may be very many. */
  find(name: string): CatalogTool | undefined;
}

/** Those whose names fit a pattern, in which `*` stands for anything; all, without any. */
export function servedTools(
  catalog: Catalog,
  patterns: readonly string[] | undefined,
): ServedTools {
  const isServed = namesMatch(patterns);
  return {
    list: () =>
      patterns === undefined ? catalog.list() : catalog.list().filter(({ name }) => isServed(name)),
    find: (name) => {
      const tool = catalog.find(name);
      return tool?.name === name && isServed(name) ? tool : undefined;
    },
  };
}

function namesMatch(patterns: readonly string[] | undefined): (name: string) => boolean {
  if (patterns === undefined) return () => true;
  const tests = patterns.map((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`);
  });
  return (name) => tests.some((test) => test.test(name));
}
