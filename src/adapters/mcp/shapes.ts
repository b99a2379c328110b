import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { CallResult } from '../../engine/types/result.js';
import type { Engine } from '../../engine/engine-api.js';
import type { ContentBlock } from '../../plugin/answer.js';
import { toSdkType } from '../../plugin/mcp-source.js';

/** The tools as MCP lists them, in the catalog's order, so that prompts do not change. */
export function listTools(
  engine: Pick<Engine, 'plugins'>,
  served: readonly CatalogTool[],
  nameOf: (tool: CatalogTool) => string,
): Tool[] {
  const plugins = new Map(engine.plugins().map((status) => [status.id, status]));
  return served.filter(takesObject).map((tool) => {
    const entries = plugins.get(tool.plugin)?.entries ?? [];
    const bundle = entries.find((entry) => entry.bundle !== undefined)?.bundle;
    const { outputSchema } = tool;
    const network = entries.some(({ effective }) => effective.network.length > 0);
    return {
      name: nameOf(tool),
      title: tool.title,
      description: tool.description,
      inputSchema: { ...tool.inputSchema, type: 'object' },
      ...(outputSchema === undefined ? {} : { outputSchema: { ...outputSchema, type: 'object' } }),
      annotations: annotationsOf(tool, network),
      _meta: {
        'dev.bulkhead/plugin': tool.plugin,
        'dev.bulkhead/risk': tool.risk,
        ...(bundle === undefined ? {} : { 'dev.bulkhead/bundle': bundle }),
      },
    };
  });
}

/** MCP does not support other inputs. */
export function takesObject({ inputSchema }: CatalogTool): boolean {
  const { type } = inputSchema;
  return type === undefined || type === 'object';
}

/** The author's hints, limited by the effective risk. */
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

/** A call's result in MCP's form. `exported` marks the addresses of an MCP server's blocks. */
export function toMcpResult(
  result: Pick<
    CallResult,
    'content' | 'structured' | 'files' | 'meta' | 'isError' | 'code' | 'mcpContent'
  >,
  exported: (block: JsonObject) => JsonObject = (block) => block,
): CallToolResult {
  const { content, structured, files = [], meta, isError, code, mcpContent } = result;
  const _meta = { ...meta, ...(code === undefined ? {} : { 'dev.bulkhead/code': code }) };
  return {
    content:
      mcpContent === undefined
        ? [...content.map(blockOf), ...files.map(linkOf)]
        : toSdkType(mcpContent.map(exported)),
    // Every version of the protocol supports an object, and some support nothing else.
    ...(isRecord(structured) ? { structuredContent: structured } : {}),
    isError,
    ...(Object.keys(_meta).length === 0 ? {} : { _meta }),
  };
}

function blockOf(block: ContentBlock): CallToolResult['content'][number] {
  if (block.type === 'text') return { type: 'text', text: block.text };
  const { type, data, mimeType, name } = block;
  if (type !== 'file') return { type, data, mimeType };
  const uri = `file:///${encodeURIComponent(name ?? 'file')}`;
  return { type: 'resource', resource: { uri, mimeType, blob: data } };
}

function linkOf(uri: string): CallToolResult['content'][number] {
  return { type: 'resource_link', uri, name: uri.split('/').at(-1) ?? uri };
}
