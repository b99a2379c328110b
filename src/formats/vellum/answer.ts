import type { Json } from '../../../sandbox/wire/messages.js';
import type { ContentBlock, ToolAnswer } from '../../plugin/answer.js';
import { isObject } from '../../schema/shape.js';
import { cutText } from '../pandora/text.js';
import { VELLUM_LIMITS } from './limits.js';

/**
 * Reads what a tool returned: `{ content, isError, status, yieldToUser, contentBlocks }`. Authors
 * leave `isError` out and put data into `content`, and it works: data is shown as JSON. What else the
 * original would obey (`riskLevel`, `sensitiveBindings`, …) is the host's to say, and is not read.
 */
export function readAnswer(value: Json): ToolAnswer {
  if (!isObject(value)) return { isError: false, content: contentOf(value ?? '') };
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

/** Whether it is a list of what a model is shown, rather than data. */
function isBlocks(content: unknown): boolean {
  return (
    Array.isArray(content) && content.length > 0 && blocksOf(content).length === content.length
  );
}

function blocksOf(list: unknown): readonly ContentBlock[] {
  return Array.isArray(list) ? list.flatMap(readBlock) : [];
}

/** A block that shows something. What would be an act of the model's own is none. */
function readBlock(block: unknown): readonly ContentBlock[] {
  if (!isObject(block)) return [];
  const { type, text, source } = block;
  if (type === 'text') return typeof text === 'string' ? [{ type, text }] : [];
  if (type !== 'image' && type !== 'file') return [];
  const { media_type: mimeType, data, filename } = isObject(source) ? source : {};
  if (typeof mimeType !== 'string' || typeof data !== 'string') return [];
  return [{ type, mimeType, data, ...(typeof filename === 'string' ? { name: filename } : {}) }];
}

function isJson(value: unknown): value is Json {
  return value !== undefined;
}
