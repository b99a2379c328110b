import type { JsonObject } from '../sandbox/wire/messages.js';

/**
 * A plugin's name or description for a model: Unicode tag characters and direction marks are escaped,
 * because a model reads them and a person does not see them.
 */
export function modelText(text: string): string {
  return SEEN_BY_MODELS_ONLY.test(text)
    ? text.replaceAll(ALL_SEEN_BY_MODELS_ONLY, (character) => escapeOf(character))
    : text;
}

/** A JSON Schema for a model, with its keys and texts like `modelText`. */
export function modelSchema(schema: JsonObject): JsonObject {
  const text = JSON.stringify(schema);
  if (!SEEN_BY_MODELS_ONLY.test(text)) return schema;
  const escaped: JsonObject = JSON.parse(
    text.replaceAll(ALL_SEEN_BY_MODELS_ONLY, (character) => `\\${escapeOf(character)}`),
  );
  return escaped;
}

/** A result's text without tag characters, except in the three flags that use them. */
export function withoutTags(text: string): { readonly text: string; readonly removed: number } {
  if (!mayHaveTags(text)) return { text, removed: 0 };
  let removed = 0;
  const clean = text.replaceAll(FLAG_OR_TAGS, (found) => {
    if (found.startsWith('\u{1f3f4}')) return found;
    removed += found.length / 2;
    // guard: result-tags-removed
    return '';
  });
  return { text: clean, removed };
}

/** A fast test: tag characters begin with this half, and few others do. */
export function mayHaveTags(text: string): boolean {
  return text.includes('\udb40');
}

const SEEN_BY_MODELS_ONLY = /[\u{e0000}-\u{e007f}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const ALL_SEEN_BY_MODELS_ONLY = new RegExp(SEEN_BY_MODELS_ONLY, 'gu');

/** England, Scotland and Wales: a black flag, the tags of the region, and the end tag. */
const FLAG_OR_TAGS =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|[\u{e0000}-\u{e007f}]+/gu;

function escapeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
