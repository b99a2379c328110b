import type { Tool } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { Engine } from '../../engine/engine-api.js';

/** The tools as MCP lists them: sorted by name, so that prompts stay the same. */
export function listTools(engine: Pick<Engine, 'plugins'>, served: readonly CatalogTool[]): Tool[] {
  const plugins = new Map(engine.plugins().map((status) => [status.id, status]));
  return served.filter(takesObject).map((tool) => {
    const entries = plugins.get(tool.plugin)?.entries ?? [];
    const bundle = entries.find((entry) => entry.bundle !== undefined)?.bundle;
    const network = entries.some(({ effective }) => effective.network.length > 0);
    return {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: { ...tool.inputSchema, type: 'object' },
      annotations: annotationsOf(tool, network),
      _meta: {
        'dev.bulkhead/plugin': tool.plugin,
        'dev.bulkhead/risk': tool.risk,
        ...(bundle === undefined ? {} : { 'dev.bulkhead/bundle': bundle }),
      },
    };
  });
}

/** MCP knows no other input. */
export function takesObject({ inputSchema }: CatalogTool): boolean {
  const { type }: JsonObject = inputSchema;
  return type === undefined || type === 'object';
}

/** Hints as far as we stand by them: what its author says, held to what the risk is proven to be. */
function annotationsOf(tool: CatalogTool, network: boolean): NonNullable<Tool['annotations']> {
  const { annotations, risk, title } = tool;
  const { idempotentHint } = annotations;
  return {
    title,
    readOnlyHint: annotations.readOnlyHint === true && risk === 'low',
    destructiveHint: risk === 'high',
    ...(idempotentHint === undefined ? {} : { idempotentHint }),
    openWorldHint: network || tool.confinement !== 'compartment',
  };
}
