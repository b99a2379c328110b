import type { ServedTools } from '../../adapters/served.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { VertesiaOptions } from './options.js';

/** What a tool server says of itself (Vertesia custom tools, GET). */
export function describeTools(served: ServedTools, options: VertesiaOptions): object {
  const { url, title = 'Bulkhead', description = DESCRIPTION, details = false } = options;
  return {
    src: url,
    title,
    description,
    tools: served.list().map((tool) => ({
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
