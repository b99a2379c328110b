import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import { isRecord } from '../../sandbox/wire/parse.js';
import { BulkheadError } from '../errors.js';
import { closest } from '../permissions/closest.js';
import { type Field, fieldsOf } from './contexts.js';
import type { HookDialect, HookName } from './names.js';
import type { FieldText } from './piece.js';
import type { PieceStore } from './pieces.js';

/** What a context may cost: everything in it is copied into guests. */
export interface ContextLimits {
  /** Bytes of JSON, of all fields together. */
  readonly maxHookContextBytes: number;
  /** Values, of all fields together. */
  readonly maxHookContextNodes: number;
}

/** A context on its way through a chain. It never changes: a change makes another. */
export interface HookContext {
  readonly hook: HookName;
  /** By field. A field that has no value is not there. */
  readonly values: ReadonlyMap<string, Json>;
  readonly texts: ReadonlyMap<string, FieldText>;
}

/**
 * The values of a context as a host gave it, with the documented defaults of these dialects for what
 * it left out.
 * Throws `INVALID_OPTIONS` naming the field that is not what it has to be, or that there is none of.
 */
export function readValues(
  hook: HookName,
  given: unknown,
  dialects: readonly HookDialect[] = ['classic', 'current'],
): ReadonlyMap<string, Json> {
  if (!isRecord(given)) throw invalid(hook, 'it is an object of fields');
  const fields = fieldsOf(hook, ['classic', 'current']);
  const values = new Map<string, Json>();
  for (const [name, value] of Object.entries(given)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) throw unknownField(hook, name, Object.keys(fields));
    if (value === undefined || (value === null && field.none !== undefined)) continue;
    if (!isFitting(field, value)) throw invalid(hook, `its ${name} has to be ${field.kind.name}`);
    values.set(name, value);
  }
  fillMissing(values, fieldsOf(hook, dialects));
  return values;
}

/** What stands for another field takes the value that this has in the end. */
function fillMissing(values: Map<string, Json>, fields: Readonly<Record<string, Field>>): void {
  const left = Object.entries(fields).filter(([name]) => !values.has(name));
  for (const [name, { missing }] of left) {
    if (missing !== undefined && 'value' in missing) values.set(name, missing.value);
  }
  for (const [name, { missing }] of left) {
    const value =
      missing !== undefined && 'field' in missing ? values.get(missing.field) : undefined;
    if (value !== undefined) values.set(name, value);
  }
}

function isFitting(field: Field, value: unknown): value is Json {
  // Whoever gives it is the host; that it has JSON at all is seen when its text is made.
  return field.kind.outer(value);
}

/** Makes the texts of a context, once. Throws `INVALID_OPTIONS` where it cannot be sent. */
export function openContext(
  hook: HookName,
  values: ReadonlyMap<string, Json>,
  store: PieceStore,
  limits: ContextLimits,
): HookContext {
  const texts = new Map<string, FieldText>();
  // One list often stands under two names: it is written once.
  const made = new Map<Json, FieldText>();
  for (const [name, value] of values) {
    try {
      const text = made.get(value) ?? store.of(value);
      made.set(value, text);
      texts.set(name, text);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw invalid(hook, `its ${name} cannot be sent: ${why}`);
    }
  }
  const problem = sizeProblem(texts, limits);
  if (problem !== undefined) throw invalid(hook, problem);
  return { hook, values, texts };
}

/** Which cap the texts of a context are over, if any. */
export function sizeProblem(
  texts: ReadonlyMap<string, FieldText>,
  { maxHookContextBytes, maxHookContextNodes }: ContextLimits,
): string | undefined {
  let bytes = 0;
  let nodes = 0;
  for (const { pieces } of texts.values()) {
    for (const piece of pieces) {
      bytes += piece.bytes;
      nodes += piece.nodes;
    }
  }
  if (bytes > maxHookContextBytes) {
    return `it is larger than ${maxHookContextBytes} bytes (limits.maxHookContextBytes)`;
  }
  return nodes > maxHookContextNodes
    ? `it holds more than ${maxHookContextNodes} values (limits.maxHookContextNodes)`
    : undefined;
}

/** A context as the host gets it back. */
export function resultOf(values: ReadonlyMap<string, Json>): JsonObject {
  return Object.fromEntries(values);
}

function unknownField(hook: HookName, name: string, names: readonly string[]): BulkheadError {
  const close = closest(name, names);
  const hint = close === undefined ? `there are ${names.join(', ')}` : `did you mean ${close}?`;
  return invalid(hook, `it has no field ${name.slice(0, 100)}; ${hint}`);
}

function invalid(hook: HookName, why: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The context of ${hook} cannot be used: ${why}.`, {
    option: 'context',
  });
}
