import type { DialectWorld } from './dialect.js';

/** Tools of one entry. Stops an endless list. */
export const MAX_TOOLS = 1_000;
/** Tools past that cap whose names are reported. */
export const MAX_PAST = 100;
/** Why a tool past the cap is not offered. */
export const PAST_CAP: string = `an entry has at most ${MAX_TOOLS} tools`;

/** Bytes of the descriptions of all tools of an entry. They fit into one message, with the rest. */
const MAX_DESCRIBED_BYTES = 6 * 1024 * 1024;
/** Why a tool whose description does not fit is not offered. */
export const OVER_BUDGET: string = `the tools of an entry have at most ${MAX_DESCRIBED_BYTES} bytes with their descriptions and schemas`;

/** Characters of a description. The host cuts it shorter, and reports that. */
const MAX_DESCRIPTION = 32 * 1024;

/** A tool's description, short enough that it does not make the tool too large. */
export function shortDescription(value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, MAX_DESCRIPTION) : value;
}

/** The bytes that are left for descriptions of further tools. */
export interface ToolBudget {
  /** Whether the text still fits. If so, its bytes are taken. */
  take(text: string): boolean;
}

/** `others`: text of the same message that is not about tools. */
export function makeToolBudget({ powers }: Pick<DialectWorld, 'powers'>, others = ''): ToolBudget {
  const bytesOf = (text: string): number => powers.text.encode(text).length;
  let left = MAX_DESCRIBED_BYTES - bytesOf(others);
  return {
    take: (text) => {
      const bytes = bytesOf(text);
      // guard: tool-list-bytes-cap
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },
  };
}

/** Keys of a tool that are reported. */
const MAX_UNREAD = 10;

/** Characters of a reported key. */
const MAX_KEY = 128;

/** The names of a tool's own keys that nothing reads: usually misspelt ones. */
export function unreadKeys(tool: unknown, read: ReadonlySet<string>): readonly string[] {
  if (typeof tool !== 'object' || tool === null) return [];
  return Object.keys(tool)
    .filter((key) => !read.has(key))
    .slice(0, MAX_UNREAD)
    .map((key) => key.slice(0, MAX_KEY));
}
