import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { type ContextLimits, type HookContext, sizeProblem } from './context.js';
import type { ContextShape, Field } from './contexts.js';
import { type FieldText, isJsonList, isJsonObject, type PieceStore } from './pieces.js';

/** The part of a field that a hook changed: a range of list items, or the whole field. */
export interface HookEdit {
  readonly field: string;
  /** Lists only: from index `at`, `removed` items were replaced by `added` items. */
  readonly at?: number;
  readonly removed?: number;
  readonly added?: number;
}

export interface Committed {
  readonly context: HookContext;
  readonly edits: readonly HookEdit[];
  /** Written fields that are unknown, or that the hook may not change. */
  readonly dropped: readonly string[];
}

/** A hook's change is invalid. All changes of the hook are discarded. */
export class InvalidChange extends Error {
  override readonly name = 'InvalidChange';
}

/**
 * Applies the changes in a guest's untrusted reply. Writes to immutable fields are dropped. Each
 * value is validated on the copy that is then used. One invalid value discards all changes of the
 * hook. Throws `InvalidChange`.
 */
export function commit(
  before: HookContext,
  shape: ContextShape,
  reply: Json,
  { store, limits }: { readonly store: PieceStore; readonly limits: ContextLimits },
): Committed {
  if (reply === null) return { context: before, edits: [], dropped: [] };
  if (!isJsonObject(reply)) throw new InvalidChange('the answer is not a record of changes');
  const dropped = new Set(namesOf(reply['dropped']));
  const values = new Map(before.values);
  const texts = new Map(before.texts);
  const edits: HookEdit[] = [];
  for (const [name, change] of Object.entries(
    isJsonObject(reply['changed']) ? reply['changed'] : {},
  )) {
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    // guard: hook-field-mutable
    if (field?.mutable !== true) {
      dropped.add(cut(name));
      continue;
    }
    const after = changeField(name, field, before, change, store);
    edits.push(after.edit);
    if (after.value === undefined || after.text === undefined) {
      values.delete(name);
      texts.delete(name);
    } else {
      values.set(name, after.value);
      texts.set(name, after.text);
    }
  }
  // guard: hook-context-size-cap
  const problem = edits.length === 0 ? undefined : sizeProblem(texts, limits);
  if (problem !== undefined) throw new InvalidChange(`with its changes ${problem}`);
  return {
    context: edits.length === 0 ? before : { hook: before.hook, values, texts },
    edits,
    dropped: [...dropped].slice(0, MAX_NAMES),
  };
}

interface Changed {
  readonly edit: HookEdit;
  /** Absent if the hook removed the field. */
  readonly value?: Json;
  readonly text?: FieldText;
}

function changeField(
  name: string,
  field: Field,
  before: HookContext,
  change: Json,
  store: PieceStore,
): Changed {
  if (!isJsonObject(change)) throw new InvalidChange(`${name} has no readable change`);
  const { value } = change;
  if (change['gone'] === true || (value === null && field.none !== undefined)) {
    if (field.none === undefined) throw new InvalidChange(`${name} is missing`);
    return { edit: { field: name } };
  }
  const was = before.values.get(name);
  if (value !== undefined) {
    const problem = field.kind.problem(value);
    if (problem !== undefined) throw new InvalidChange(`${name} ${problem}`);
    const edit = isJsonList(value) ? wholeList(name, was, value) : { field: name };
    return { edit, value, text: makeText(name, () => store.of(value)) };
  }
  const text = before.texts.get(name);
  if (field.kind.itemProblem === undefined || text === undefined || !isJsonList(was)) {
    throw new InvalidChange(`${name} has no readable change`);
  }
  const { at, removed, items } = readSplice(name, change, was.length);
  items.forEach((item, index) => {
    // guard: hook-message-valid
    const problem = field.kind.itemProblem?.(item);
    if (problem !== undefined) throw new InvalidChange(`${name}[${at + index}] ${problem}`);
  });
  const list = was.toSpliced(at, removed, ...items);
  return {
    edit: { field: name, at, removed, added: items.length },
    value: list,
    text: makeText(name, () => store.spliced(text, list, { at, removed })),
  };
}

function wholeList(name: string, was: Json | undefined, list: readonly Json[]): HookEdit {
  return { field: name, at: 0, removed: isJsonList(was) ? was.length : 0, added: list.length };
}

function readSplice(
  name: string,
  { at, removed, items }: JsonObject,
  length: number,
): { readonly at: number; readonly removed: number; readonly items: readonly Json[] } {
  if (!isIndex(at, length) || !isIndex(removed, length - at) || !isJsonList(items)) {
    throw new InvalidChange(`${name} has no readable change`);
  }
  return { at, removed, items };
}

function isIndex(value: Json | undefined, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
}

function makeText(name: string, make: () => FieldText): FieldText {
  try {
    return make();
  } catch (error) {
    throw new InvalidChange(
      `${name} cannot be used: ${error instanceof Error ? error.message : ''}`,
    );
  }
}

/** Reports show names from a guest to people. At most 32 names, each at most 64 characters. */
const MAX_NAMES = 32;
const MAX_NAME = 64;

function namesOf(list: Json | undefined): string[] {
  if (!isJsonList(list)) return [];
  return list
    .slice(0, MAX_NAMES)
    .filter((name) => typeof name === 'string')
    .map(cut);
}

function cut(name: string): string {
  return name.slice(0, MAX_NAME);
}

/** A tool call in a model's reply. A hook may have added it. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
}

/**
 * The tool calls that a hook added and removed. A rewritten call counts as both, because the model
 * did not request the new call.
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

/** A tool call with its whole JSON text. The position does not matter for equality. */
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

/** `calls` minus `others`, counted as multisets: a duplicated call counts as one added call. */
function without(calls: readonly Found[], others: readonly Found[]): ToolUse[] {
  const left = new Map<string, number>();
  for (const { text } of others) left.set(text, (left.get(text) ?? 0) + 1);
  return calls.flatMap(({ id, name, text }) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count > 0 ? [] : [{ id, name }];
  });
}
