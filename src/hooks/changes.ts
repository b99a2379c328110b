import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import { type ContextLimits, type HookContext, sizeProblem } from './context.js';
import type { ContextShape, Field } from './contexts.js';
import { isJsonList as isList, isJsonObject as isRecord } from './json.js';
import type { FieldText } from './piece.js';
import type { PieceStore } from './pieces.js';

/** Where a hook changed a field: which items of a list, or all of it. */
export interface HookEdit {
  readonly field: string;
  /** Of a list: `removed` of its items from `at` on made way for `added` others. */
  readonly at?: number;
  readonly removed?: number;
  readonly added?: number;
}

export interface Committed {
  readonly context: HookContext;
  readonly edits: readonly HookEdit[];
  /** Fields that were written in vain: they are not the hook's to change, or there are none such. */
  readonly dropped: readonly string[];
}

/** What a hook made of its context is not what it may be. Nothing of it counts. */
export class InvalidChange extends Error {
  override readonly name = 'InvalidChange';
}

/**
 * Takes over what a guest says that a hook changed. None of it is believed: only fields that are the
 * hook's to change count, each value is looked at in the copy that is then used, and one that is not
 * valid costs the hook all of its changes. Throws `InvalidChange`.
 */
export function commit(
  before: HookContext,
  shape: ContextShape,
  reply: Json,
  { store, limits }: { readonly store: PieceStore; readonly limits: ContextLimits },
): Committed {
  if (reply === null) return { context: before, edits: [], dropped: [] };
  if (!isRecord(reply)) throw new InvalidChange('the answer is no record of changes');
  const dropped = new Set(namesOf(reply['dropped']));
  const values = new Map(before.values);
  const texts = new Map(before.texts);
  const edits: HookEdit[] = [];
  for (const [name, change] of Object.entries(isRecord(reply['changed']) ? reply['changed'] : {})) {
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
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
  /** Absent where the field is gone. */
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
  if (!isRecord(change)) throw new InvalidChange(`${name} has no readable change`);
  const { value } = change;
  if (change['gone'] === true || (value === null && field.none !== undefined)) {
    if (field.none === undefined) throw new InvalidChange(`${name} is missing`);
    return { edit: { field: name } };
  }
  const was = before.values.get(name);
  if (value !== undefined) {
    const problem = field.kind.problem(value);
    if (problem !== undefined) throw new InvalidChange(`${name} ${problem}`);
    const edit = isList(value) ? wholeList(name, was, value) : { field: name };
    return { edit, value, text: makeText(name, () => store.of(value)) };
  }
  const text = before.texts.get(name);
  if (field.kind.itemProblem === undefined || text === undefined || !isList(was)) {
    throw new InvalidChange(`${name} has no readable change`);
  }
  const { at, removed, items } = readSplice(name, change, was.length);
  items.forEach((item, index) => {
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
  return { field: name, at: 0, removed: isList(was) ? was.length : 0, added: list.length };
}

function readSplice(
  name: string,
  { at, removed, items }: JsonObject,
  length: number,
): { readonly at: number; readonly removed: number; readonly items: readonly Json[] } {
  if (!isIndex(at, length) || !isIndex(removed, length - at) || !isList(items)) {
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

/** Names that a guest tells are shown to people: so many of them, and so long. */
const MAX_NAMES = 32;
const MAX_NAME = 64;

function namesOf(list: Json | undefined): string[] {
  if (!isList(list)) return [];
  return list
    .slice(0, MAX_NAMES)
    .filter((name) => typeof name === 'string')
    .map(cut);
}

function cut(name: string): string {
  return name.slice(0, MAX_NAME);
}
