import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import { BulkheadError } from '../../errors.js';
import type { ContentBlock, ToolAnswer } from '../../plugin/answer.js';

/** Reads what a server answered to a call. Throws `REMOTE_FAILED` for what is no answer. */
export function readMcpAnswer(value: unknown, id: string, maxBytes: number): ToolAnswer {
  const listed = isRecord(value) ? value['content'] : undefined;
  if (!isRecord(value) || !Array.isArray(listed)) {
    throw new BulkheadError('REMOTE_FAILED', `The answer of ${id} has no content.`, { remote: id });
  }
  if (JSON.stringify(value).length > maxBytes) {
    throw new BulkheadError(
      'NETWORK_LIMIT',
      `The answer of ${id} is longer than ${maxBytes} bytes.`,
      { limit: 'maxResultBytes' },
    );
  }
  const blocks: readonly unknown[] = listed;
  const { structuredContent, _meta: meta } = value;
  const links = blocks.flatMap(linkOf);
  return {
    isError: value['isError'] === true,
    content: blocks.flatMap(blockOf),
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

/** Addresses of the web: whatever else a server links to is its own. */
function linkOf(block: unknown): string[] {
  if (!isRecord(block) || block['type'] !== 'resource_link') return [];
  const { uri } = block;
  return typeof uri === 'string' && /^https?:\/\//i.test(uri) && URL.canParse(uri) ? [uri] : [];
}

/** What came as JSON holds nothing but JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}
