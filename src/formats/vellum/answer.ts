import type { Json } from '../../../sandbox/wire/messages.js';
import type { ContentBlock, ToolAnswer } from '../../plugin/answer.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import { cutText } from '../quote.js';
import { VELLUM_LIMITS } from './limits.js';

/**
 * Reads a tool's answer: `{ content, isError, status, yieldToUser, contentBlocks }`. `isError` is
 * optional. Data in `content` becomes JSON. Fields that control the host in the original
 * (`riskLevel`, `sensitiveBindings`, …) are ignored.
 */
export function readAnswer(value: Json): ToolAnswer {
  if (!isRecord(value)) return { isError: false, content: contentOf(value ?? '') };
  const isResult = 'content' in value || 'contentBlocks' in value;
  const content = isResult ? value['content'] : value;
  const { status, contentBlocks } = value;
  return {
    isError: value['isError'] === true,
    content: [...contentOf(content), ...blocksOf(contentBlocks)].slice(
      0,
      VELLUM_LIMITS.maxContentBlocks,
    ),
    ...(isJson(content) && typeof content === 'object' && content !== null && !isBlocks(content)
      ? { structured: content }
      : {}),
    ...(typeof status === 'string' && status !== ''
      ? { status: cutText(status, VELLUM_LIMITS.maxStatusText) }
      : {}),
    ...(value['yieldToUser'] === true ? { yieldToUser: true } : {}),
  };
}

function contentOf(content: unknown): readonly ContentBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (content === undefined) return [];
  if (isBlocks(content)) return blocksOf(content);
  return [{ type: 'text', text: JSON.stringify(content) }];
}

/** Whether the value is a list of content blocks. Otherwise it is data. */
function isBlocks(content: unknown): boolean {
  return (
    Array.isArray(content) && content.length > 0 && blocksOf(content).length === content.length
  );
}

function blocksOf(list: unknown): readonly ContentBlock[] {
  return Array.isArray(list) ? list.flatMap(readBlock) : [];
}

/** A text, an image or a file. Blocks that only a model may write are dropped. */
function readBlock(block: unknown): readonly ContentBlock[] {
  if (!isRecord(block)) return [];
  const { type, text, source } = block;
  if (type === 'text') return typeof text === 'string' ? [{ type, text }] : [];
  // guard: vellum-content-types-limited
  if (type !== 'image' && type !== 'file') return [];
  const { media_type: mimeType, data, filename } = isRecord(source) ? source : {};
  if (typeof mimeType !== 'string' || typeof data !== 'string') return [];
  return [{ type, mimeType, data, ...(typeof filename === 'string' ? { name: filename } : {}) }];
}

function isJson(value: unknown): value is Json {
  return value !== undefined;
}
