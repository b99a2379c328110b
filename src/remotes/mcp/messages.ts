import { isJsonObject, isRecord } from '../../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { scrubJson } from '../../brokers/network/secrets/credential-scrubber.js';
import { BulkheadError } from '../../errors.js';
import { readBlock } from '../../plugin/mcp-content.js';
import type { ContentBlock, ToolAnswer } from '../../plugin/answer.js';
import { hashOf, isWebUrl, MAX_TITLE, remoteFailed, type ToolFields } from '../description.js';
import type { Definition } from '../pins.js';
import { checkSchema } from '../../schema/check.js';
import { requiresTask } from './tasks.js';
import { withoutDefaultDates } from '../default-dates.js';

export interface McpTool extends Definition, ToolFields {
  readonly title: string;
  readonly outputSchema?: JsonObject;
  /** Whether it runs as a task only. */
  readonly isTask: boolean;
}

/** Reads one tool of a server's list. */
export function readMcpTool(entry: Readonly<Record<string, unknown>>, fields: ToolFields): McpTool {
  const { tool, annotations } = fields;
  const inputSchema = withoutHeaders(fields.inputSchema);
  const text = typeof entry['description'] === 'string' ? entry['description'] : '';
  const title = typeof entry['title'] === 'string' ? entry['title'] : (annotations.title ?? tool);
  const declared = entry['outputSchema'];
  const outputSchema =
    declared === undefined ? undefined : checkSchema(declared, `${tool}: its result`).schema;
  return {
    ...fields,
    isTask: requiresTask(entry),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    // Hints may lower the risk, and models read the title.
    // guard: remote-hash-covers-annotations
    hash: hashOf([
      tool,
      text,
      withoutDefaultDates(inputSchema),
      title,
      { ...annotations },
      ...(outputSchema === undefined ? [] : [outputSchema]),
    ]),
    title: title.slice(0, MAX_TITLE),
  };
}

/**
 * Removes the keyword that copies an argument into a header of the request. A client to which this
 * tool is served would follow it.
 */
function withoutHeaders(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      // guard: mcp-header-keyword-dropped
      .filter(([key]) => key !== 'x-mcp-header')
      .map(([key, value]) => [key, withoutHeadersInside(value)]),
  );
}

function withoutHeadersInside(value: Json): Json {
  if (Array.isArray(value)) return value.map((part: Json) => withoutHeadersInside(part));
  return isJsonObject(value) ? withoutHeaders(value) : value;
}

/**
 * Reads a server's answer to a call. `scrub` removes the host's credentials. Throws `REMOTE_FAILED` for an answer
 * without content.
 */
export function readMcpAnswer(
  answer: unknown,
  id: string,
  maxBytes: number,
  scrub: (text: string) => string,
): ToolAnswer {
  if (!isRecord(answer)) throw remoteFailed(id, `The answer of ${id} has no content.`);
  const text = JSON.stringify(answer);
  // guard: mcp-answer-capped
  if (text.length > maxBytes) {
    throw new BulkheadError(
      'NETWORK_LIMIT',
      `The answer of ${id} is longer than ${maxBytes} bytes.`,
      { limit: 'maxResultBytes' },
    );
  }
  // guard: mcp-answer-without-credentials
  const value = scrubJson(answer, text, scrub);
  const listed = isRecord(value) ? value['content'] : undefined;
  if (!isRecord(value) || !Array.isArray(listed)) {
    throw remoteFailed(id, `The answer of ${id} has no content.`);
  }
  const blocks: readonly unknown[] = listed;
  const { structuredContent, _meta: meta } = value;
  const links = blocks.flatMap(linkOf);
  return {
    isError: value['isError'] === true,
    content: blocks.flatMap(blockOf),
    // Plain text is the same in `content`.
    ...(blocks.every(isPlainText)
      ? {}
      : { mcpContent: blocks.map(readBlock).filter((block) => block !== undefined) }),
    ...(isJsonObject(structuredContent) ? { structured: structuredContent } : {}),
    ...(links.length === 0 ? {} : { files: links }),
    ...(isJsonObject(meta) && Object.keys(meta).length > 0 ? { meta } : {}),
  };
}

function blockOf(block: unknown): ContentBlock[] {
  if (!isRecord(block)) return [];
  const { type, text, data, mimeType, resource } = block;
  if (type === 'text' && typeof text === 'string') return [{ type, text }];
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return [{ type, data, mimeType: typeof mimeType === 'string' ? mimeType : UNKNOWN_TYPE }];
  }
  return type === 'resource' && isRecord(resource) ? resourceOf(resource) : [];
}

const UNKNOWN_TYPE = 'application/octet-stream';

function resourceOf({ uri, text, blob, mimeType }: Record<string, unknown>): ContentBlock[] {
  if (typeof text === 'string') return [{ type: 'text', text }];
  if (typeof blob !== 'string') return [];
  const type = typeof mimeType === 'string' ? mimeType : UNKNOWN_TYPE;
  const name = typeof uri === 'string' ? { name: uri } : {};
  return [{ type: 'file', mimeType: type, data: blob, ...name }];
}

function linkOf(block: unknown): string[] {
  if (!isRecord(block) || block['type'] !== 'resource_link') return [];
  return isWebUrl(block['uri']) ? [block['uri']] : [];
}

function isPlainText(block: unknown): boolean {
  return isRecord(block) && block['type'] === 'text' && Object.keys(block).length === 2;
}
