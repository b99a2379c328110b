import type { ContentBlock } from '../plugin/answer.js';

/** What a model that takes nothing but text is shown of an answer: what is no text is named. */
export function plainText(content: readonly ContentBlock[], files: readonly string[] = []): string {
  const shown = content.map((block) =>
    block.type === 'text' ? block.text : `[${block.type}: ${block.mimeType}]`,
  );
  return [...shown, ...files].join('\n');
}
