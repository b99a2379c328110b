import type { CallToolResult } from '@modelcontextprotocol/server';
import { isRecord } from '../../../sandbox/wire/parse.js';
import type { CallResult } from '../../engine/call/result.js';
import type { ContentBlock } from '../../plugin/answer.js';

/** What a call came to, as MCP says it. */
export function toMcpResult(result: CallResult): CallToolResult {
  const { content, structured, files = [], meta, isError, code } = result;
  const told = { ...meta, ...(code === undefined ? {} : { 'dev.bulkhead/code': code }) };
  return {
    content: [...content.map(blockOf), ...files.map(linkOf)],
    ...(isStructured(structured) ? { structuredContent: structured } : {}),
    isError,
    ...(Object.keys(told).length === 0 ? {} : { _meta: told }),
  };
}

/** Clients of every version take an object, and some take nothing else. */
function isStructured(value: unknown): value is Record<string, unknown> {
  return isRecord(value);
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
