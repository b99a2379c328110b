import type { Catalog, CatalogTool } from '../../catalog/catalog.js';
import type { VertesiaOptions } from './options.js';

/** The tools that are served: the same whether they are listed or run. */
export function servedTools(
  catalog: Catalog,
  patterns: readonly string[] | undefined,
): readonly CatalogTool[] {
  if (patterns === undefined) return catalog.list();
  const tests = patterns.map(testOf);
  return catalog.list().filter(({ name }) => tests.some((test) => test.test(name)));
}

function testOf(pattern: string): RegExp {
  const escaped = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`);
}

/** What a tool server says of itself (Vertesia custom tools, GET). */
export function describeTools(catalog: Catalog, options: VertesiaOptions): object {
  const { url, title = 'Bulkhead', description = DESCRIPTION, details = false } = options;
  const tools = servedTools(catalog, options.tools);
  return {
    src: url,
    title,
    description,
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input_schema: schemaOf(tool),
      ...(details ? detailsOf(tool, url) : {}),
    })),
  };
}

const DESCRIPTION = 'Tools of plugins, each of them confined.';

/** The protocol's readers expect an object's schema: a tool without one takes any object. */
function schemaOf({ inputSchema }: CatalogTool): object {
  return 'type' in inputSchema ? inputSchema : { type: 'object', ...inputSchema };
}

function detailsOf({ plugin, annotations, requireApproval }: CatalogTool, url: string): object {
  return {
    url,
    category: plugin,
    annotations,
    approval_class: approvalClass(annotations.readOnlyHint === true, requireApproval),
  };
}

function approvalClass(readOnly: boolean, asks: boolean): string {
  if (asks) return 'requires_confirmation';
  return readOnly ? 'read_only' : 'side_effecting';
}
