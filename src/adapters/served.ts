import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { Catalog, CatalogTool } from '../catalog/catalog.js';

/** The tools of a catalog that are served. The same tools are listed and run. */
export interface ServedTools {
  list(): readonly CatalogTool[];
  /** Finds a tool by its exported name only, without listing all tools. */
  find(name: string): CatalogTool | undefined;
}

/** The tools whose names match a pattern, in which `*` matches any text; without patterns, all. */
export function servedTools(
  catalog: Catalog,
  patterns: readonly string[] | undefined,
): ServedTools {
  const isServed = matcherOf(patterns);
  return {
    list: () =>
      patterns === undefined ? catalog.list() : catalog.list().filter(({ name }) => isServed(name)),
    find: (name) => {
      const tool = catalog.find(name);
      // guard: served-tool-only
      return tool?.name === name && isServed(name) ? tool : undefined;
    },
  };
}

function matcherOf(patterns: readonly string[] | undefined): (name: string) => boolean {
  if (patterns === undefined) return () => true;
  const tests = patterns.map((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`);
  });
  return (name) => tests.some((test) => test.test(name));
}

/** A tool as the model sees it. */
export interface OfferedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** A copy, which the framework may change. */
  readonly inputSchema: JsonObject & { readonly type: 'object' };
}

export function offeredTool({ name, title, description, inputSchema }: CatalogTool): OfferedTool {
  // The catalog's schemas are frozen, and some frameworks write into them.
  const schema: JsonObject = JSON.parse(JSON.stringify(inputSchema));
  return { name, title, description, inputSchema: { ...schema, type: 'object' } };
}
