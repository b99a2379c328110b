import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError, messageOf } from '../../errors.js';
import { didYouMean } from '../../did-you-mean.js';
import type { HookName, HookSemantics } from '../../plugin/hooks.js';
import { type Field, fieldsOf } from './contexts.js';
import type { FieldText, PieceStore } from './pieces.js';

/** Limits for a context. The engine copies all of it into guests. */
export interface ContextLimits {
  /** Bytes of JSON, all fields together. Default: see `EngineLimits`. */
  readonly maxHookContextBytes: number;
  /** Number of JSON values, all fields together. Default: see `EngineLimits`. */
  readonly maxHookContextNodes: number;
}

/** The context of a chain. It is immutable: a change creates a new context. */
export interface HookContext {
  readonly hook: HookName;
  /** By field name. A field without a value has no key. */
  readonly values: ReadonlyMap<string, Json>;
  readonly texts: ReadonlyMap<string, FieldText>;
}

/**
 * Reads the host's context and fills in the documented defaults of these semantics. Throws
 * `INVALID_OPTIONS` with the name of an invalid or unknown field.
 */
export function readValues(
  hook: HookName,
  given: unknown,
  all: readonly HookSemantics[] = ['classic', 'current'],
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
  fillMissing(values, fieldsOf(hook, all));
  return values;
}

/** Fields that default to another field are filled last, so they get its final value. */
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
  // The host is trusted. `openContext` later rejects a value that is not JSON.
  return field.kind.outer(value);
}

/** Serializes a context once. Throws `INVALID_OPTIONS` if a value is not JSON or too large. */
export function openContext(
  hook: HookName,
  values: ReadonlyMap<string, Json>,
  store: PieceStore,
  limits: ContextLimits,
): HookContext {
  const texts = new Map<string, FieldText>();
  // Two fields often contain the same list. It is serialized once.
  const made = new Map<Json, FieldText>();
  for (const [name, value] of values) {
    try {
      const text = made.get(value) ?? store.of(value);
      made.set(value, text);
      texts.set(name, text);
    } catch (error) {
      const why = messageOf(error);
      throw invalid(hook, `its ${name} cannot be sent: ${why}`);
    }
  }
  const problem = sizeProblem(texts, limits);
  if (problem !== undefined) throw invalid(hook, problem);
  return { hook, values, texts };
}

/** Describes the limit that a context exceeds; `undefined` if it exceeds none. */
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

/** Converts the values to the object that the host gets back. */
export function resultOf(values: ReadonlyMap<string, Json>): JsonObject {
  return Object.fromEntries(values);
}

function unknownField(hook: HookName, name: string, names: readonly string[]): BulkheadError {
  const close = didYouMean(name, names);
  const hint = close === undefined ? `there are ${names.join(', ')}` : `did you mean ${close}?`;
  return invalid(hook, `it has no field ${name.slice(0, 100)}; ${hint}`);
}

function invalid(hook: HookName, why: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The context of ${hook} cannot be used: ${why}.`, {
    option: 'context',
  });
}
