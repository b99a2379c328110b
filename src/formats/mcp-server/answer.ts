import { isJsonObject, isRecord } from '../../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import type { ContentBlock, ToolAnswer } from '../../plugin/answer.js';
import { readBlock } from '../../plugin/mcp-content.js';
import { cutText } from '../quote.js';

/**
 * Reads the result of `tools/call`: `{ content, isError, structuredContent }`. Every field is the server's
 * word. A block of an unknown type is dropped.
 */
export function readAnswer(value: Json): ToolAnswer {
  const { content, isError, structuredContent, _meta: meta } = isRecord(value) ? value : {};
  const list: readonly unknown[] = Array.isArray(content) ? content : [];
  // guard: mcp-content-blocks-cap
  const first = list.slice(0, MAX_BLOCKS);
  const blocks = first.flatMap(blocksOf);
  const structured = isJsonObject(structuredContent) ? structuredContent : undefined;
  const known = first.map(readBlock).filter((block) => block !== undefined);
  const links = first.flatMap(linkIn);
  return {
    isError: isError === true,
    content:
      blocks.length === 0 && structured !== undefined
        ? [{ type: 'text', text: JSON.stringify(structured) }]
        : blocks,
    // Plain text is the same in `content`.
    ...(known.every(isPlainText) ? {} : { mcpContent: known }),
    ...(structured === undefined ? {} : { structured }),
    ...(links.length === 0 ? {} : { files: links }),
    ...(isJsonObject(meta) ? { meta } : {}),
  };
}

const MAX_BLOCKS = 1_000;
const MAX_URI = 4_096;

function isPlainText(block: JsonObject): boolean {
  return block['type'] === 'text' && Object.keys(block).length === 2;
}

function blocksOf(block: unknown): readonly ContentBlock[] {
  if (!isRecord(block)) return [];
  const { type, text, data, mimeType, uri, name, resource } = block;
  if (type === 'text') return typeof text === 'string' ? [{ type, text }] : [];
  if (type === 'image' || type === 'audio') {
    return typeof data === 'string' && typeof mimeType === 'string'
      ? [{ type, mimeType: cutText(mimeType, 200), data }]
      : [];
  }
  if (type === 'resource_link') {
    if (typeof uri !== 'string') return [];
    const title = typeof name === 'string' ? `${cutText(name, 200)}: ` : '';
    return [{ type: 'text', text: `${title}${cutText(uri, MAX_URI)}` }];
  }
  return type === 'resource' && isRecord(resource) ? readResource(resource) : [];
}

function readResource(resource: Readonly<Record<string, unknown>>): readonly ContentBlock[] {
  const { text, blob, mimeType, uri } = resource;
  if (typeof text === 'string') return [{ type: 'text', text }];
  if (typeof blob !== 'string') return [];
  return [
    {
      type: 'file',
      mimeType: typeof mimeType === 'string' ? cutText(mimeType, 200) : 'application/octet-stream',
      data: blob,
      ...(typeof uri === 'string' ? { name: cutText(uri, MAX_URI) } : {}),
    },
  ];
}

/** The addresses that an answer names. A client may open only those of the web. */
function linkIn(block: unknown): readonly string[] {
  if (!isRecord(block) || block['type'] !== 'resource_link') return [];
  const { uri } = block;
  return typeof uri === 'string' && /^https?:\/\//i.test(uri) ? [cutText(uri, MAX_URI)] : [];
}
