import type { HookParams } from '../wire/hooks.js';
import { CodedError } from '../wire/failure.js';
import { compareList, hasChanged } from './compare.js';
import { type DraftField, largeField, smallField } from './field.js';
import type { CachedField } from './piece-cache.js';
import { type LazySlot, putLazily } from './lazy.js';

/** A hook's context, and the function that determines the hook's changes. */
export interface Draft {
  /** The context object. The plugin owns it and may change it. */
  readonly context: object;
  /** Returns the hook's changes as JSON text. `returned` is its return value. May run plugin code. */
  settle(returned: unknown): string;
}

export interface DraftSpec {
  readonly params: HookParams;
  /** The fields that `params.lists` refers to. */
  readonly sent: readonly CachedField[];
  /** The functions of the context, by name. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Converts a plugin's value to JSON text, within the guest's limits. */
  readonly serialize: (value: unknown) => string;
}

/** Creates the context of one run. Large fields are parsed when the plugin first reads them. */
export function openDraft({ params, sent, members, serialize }: DraftSpec): Draft {
  const context: Record<string, unknown> = {};
  const fields = new Map<string, DraftField>();
  const slots = new Map<string, LazySlot>();
  for (const [name, value] of Object.entries(params.fields)) {
    fields.set(name, smallField(value));
    context[name] = value;
  }
  for (const [name, at] of Object.entries(params.large)) {
    const field = largeField(sent[at] ?? { list: false, pieces: [] });
    fields.set(name, field);
    slots.set(name, putLazily(context, name, field.make));
  }
  for (const name of params.lends) context[name] = members[name];
  const mutable = new Map(params.mutable.map(({ name, none }) => [name, none]));

  const present = (name: string): unknown =>
    slots.get(name)?.untouched() === true ? UNTOUCHED : context[name];

  return {
    context,
    settle: (returned) => {
      const answer = readAnswer(returned, context, params);
      const merges = params.returned === 'merges';
      const valueOf = (name: string): unknown => {
        if (answer === undefined) return present(name);
        if (Object.hasOwn(answer, name)) return answer[name];
        if (merges) return present(name);
        // The hook returned a context without the field: an optional field is removed, another unchanged.
        return mutable.get(name) === null ? UNTOUCHED : undefined;
      };
      const changed: string[] = [];
      for (const [name, none] of mutable) {
        const change = changeOf(fields.get(name), none, valueOf(name), serialize);
        if (change !== undefined) changed.push(`${JSON.stringify(name)}:${change}`);
      }
      const written = new Set([
        ...(answer === undefined || merges ? Object.keys(context) : []),
        ...(answer === undefined ? [] : Object.keys(answer)),
      ]);
      const dropped = [...written].filter(
        (name) => !mutable.has(name) && isWritten(fields.get(name), valueOf(name), members[name]),
      );
      if (changed.length + dropped.length === 0) return 'null';
      return `{"changed":{${changed.join(',')}},"dropped":${serialize(dropped)}}`;
    },
  };
}

/** Marks a field that the hook did not touch. Plugins cannot reach this symbol. */
const UNTOUCHED: unique symbol = Symbol('untouched');

/** The object that a hook returned instead of its draft; `undefined` if it returned none. */
function readAnswer(
  returned: unknown,
  context: object,
  { nothing }: HookParams,
): Readonly<Record<string, unknown>> | undefined {
  if (returned === undefined || returned === context) return undefined;
  if (isObject(returned)) return returned;
  if (nothing === 'ignored') return undefined;
  throw new CodedError(
    'INVALID_HOOK_CHANGE',
    `it returned ${returned === null ? 'null' : `a ${typeof returned}`} instead of a context or nothing`,
  );
}

/** The change of a mutable field, as JSON text; `undefined` if it did not change. */
function changeOf(
  field: DraftField | undefined,
  none: 'undefined' | 'null' | null | undefined,
  value: unknown,
  serialize: (value: unknown) => string,
): string | undefined {
  if (value === UNTOUCHED) return undefined;
  if (value === undefined || (value === null && none === 'null')) {
    return field === undefined || !hasChanged(field, null) ? undefined : '{"gone":true}';
  }
  if (field?.list === true && Array.isArray(value)) {
    const change = compareList(field, value);
    if (change === undefined) return undefined;
    return `{"at":${change.at},"removed":${change.removed},"items":${serialize(change.added)}}`;
  }
  if (field !== undefined && !hasChanged(field, value)) return undefined;
  return `{"value":${serialize(value)}}`;
}

/** Whether the hook wrote another value to an immutable field. */
function isWritten(field: DraftField | undefined, value: unknown, members: unknown): boolean {
  if (value === UNTOUCHED) return false;
  if (field !== undefined) return hasChanged(field, value);
  return value !== undefined && value !== members;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
