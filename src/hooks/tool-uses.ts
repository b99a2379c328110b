import type { Json } from '../../sandbox/wire/messages.js';
import { isRecord } from '../../sandbox/wire/parse.js';
import type { HookEdit } from './changes.js';
import type { HookContext } from './context.js';

/** A tool call that stands in a reply of the model's, or seems to. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
}

/**
 * The tool calls that a hook put in, and those that it took out. One that it rewrote is both: nobody
 * but the hook asked for what is there now.
 */
export function compareToolUses(
  before: HookContext,
  after: HookContext,
  edits: readonly HookEdit[],
): { readonly added: readonly ToolUse[]; readonly removed: readonly ToolUse[] } {
  const was: Found[] = [];
  const is: Found[] = [];
  for (const { field, at = 0, removed = 0, added = 0 } of edits) {
    collect(itemsOf(before, field).slice(at, at + removed), was);
    collect(itemsOf(after, field).slice(at, at + added), is);
  }
  return { added: without(is, was), removed: without(was, is) };
}

/** A call and all that is in it: the same call in another place is the same call. */
type Found = ToolUse & { readonly text: string };

function itemsOf({ values }: HookContext, field: string): readonly Json[] {
  const value = values.get(field);
  return Array.isArray(value) ? value : [];
}

function collect(items: readonly Json[], into: Found[]): void {
  for (const item of items) {
    if (!isRecord(item)) continue;
    const { type, id, name, content } = item;
    if (type === 'tool_use' && typeof id === 'string' && typeof name === 'string') {
      into.push({ id, name, text: JSON.stringify(item) });
    }
    if (Array.isArray(content)) collect(content, into);
  }
}

/** A call that is there twice and was there once is one call more. */
function without(calls: readonly Found[], others: readonly Found[]): ToolUse[] {
  const left = new Map<string, number>();
  for (const { text } of others) left.set(text, (left.get(text) ?? 0) + 1);
  return calls.flatMap(({ id, name, text }) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count > 0 ? [] : [{ id, name }];
  });
}
