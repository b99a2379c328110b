import type { Json, JsonObject } from '../../sandbox/wire/messages.js';

/** What a tool answered, in the one form that every system's results are read into. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly content: readonly ContentBlock[];
  /** The answer as data, where it is more than text. */
  readonly structured?: Json;
  /** A few words for a client to show, such as `truncated`. */
  readonly status?: string;
  /** The turn is to end here, and the user to speak next. */
  readonly yieldToUser?: boolean;
  /** Addresses of what the tool made besides. */
  readonly files?: readonly string[];
  readonly meta?: JsonObject;
}

/** What a model is shown. Only a text block has a `text`. */
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

/** The text of what a model is shown. */
export function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n');
}

/** The answer of a system whose tools return any value: a text as it is, anything else as JSON. */
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
