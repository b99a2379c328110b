import type { Json, JsonObject } from '../../sandbox/wire/messages.js';

/** A tool's answer: the common form of every plugin system's results. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly content: readonly ContentBlock[];
  /** The answer as data, if it is more than text. */
  readonly structured?: Json;
  /** A short status for a client to show, such as `truncated`. */
  readonly status?: string;
  /** Whether the turn ends here and the user speaks next. */
  readonly yieldToUser?: boolean;
  /** Addresses of files that the tool created. */
  readonly files?: readonly string[];
  /**
   * The content of an MCP server's answer in the protocol's own form, in order, with links and embedded
   * resources. For clients of the protocol; models get `content`.
   */
  readonly mcpContent?: readonly JsonObject[];
  readonly meta?: JsonObject;
}

/** A block of content for a model. Only a text block has a `text`. */
export type ContentBlock = TextBlock | MediaBlock;

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface MediaBlock {
  readonly type: 'image' | 'audio' | 'file';
  /** e.g. `image/png` */
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
  readonly name?: string;
  readonly text?: undefined;
}

/** The texts of the content blocks, joined by line breaks. */
export function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n');
}

/** The answer of a system whose tools return any value: text unchanged, any other value as JSON. */
export function answerOfValue(value: Json): ToolAnswer {
  if (typeof value === 'string') {
    return { isError: false, content: [{ type: 'text', text: value }] };
  }
  return {
    isError: false,
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structured: value,
  };
}
