import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { reasonOf, usageError } from '../failure.js';

/** A line of the prompt: a tool and its input. */
export interface CallLine {
  readonly tool: string;
  readonly input: Json;
}

/**
 * Parses `tool {"city":"Oslo"}` or `tool city=Oslo days=3`. The schema says which fields are texts. Throws
 * `INVALID_OPTIONS`.
 */
export function parseCallLine(line: string, schemaOf: (tool: string) => JsonObject): CallLine {
  const [, tool = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(line.trim()) ?? [];
  if (rest === '') return { tool, input: {} };
  if (/^[[{"]/.test(rest)) return { tool, input: parseJson(rest) };
  const properties = propertiesOf(schemaOf(tool));
  const fields = wordsOf(rest).map((word) => {
    const at = word.indexOf('=');
    if (at < 1) {
      throw usageError(
        'input',
        `${JSON.stringify(word)} is not a field. Write ${tool} {"field":"value"}, or ${tool} field=value.`,
      );
    }
    const name = word.slice(0, at);
    return [name, valueOf(word.slice(at + 1), properties[name])] as const;
  });
  return { tool, input: Object.fromEntries(fields) };
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageError('input', `The input is not JSON: ${reasonOf(error)}.`);
  }
}

/** Words that spaces separate. Quotation marks join words. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/(?:"(?:\\.|[^"])*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word);
}

/** A text that the schema wants stays a text; else what is JSON is read as JSON. */
function valueOf(text: string, schema: Json | undefined): Json {
  const isText = isRecord(schema) && schema['type'] === 'string';
  if (text.startsWith("'")) return text.slice(1, text.endsWith("'") ? -1 : undefined);
  if (isText && !text.startsWith('"')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function propertiesOf({ properties }: JsonObject): JsonObject {
  return isRecord(properties) ? properties : {};
}

/** An input that has a value for each required field, for examples. */
export function exampleInput(schema: JsonObject): JsonObject {
  const properties = propertiesOf(schema);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.fromEntries(
    required.flatMap((name) =>
      typeof name === 'string' ? [[name, exampleValue(properties[name])] as const] : [],
    ),
  );
}

function exampleValue(schema: Json | undefined): Json {
  if (!isRecord(schema)) return null;
  const { default: usual, examples, enum: values, minimum, type } = schema;
  if (usual !== undefined) return usual;
  const [first] = [...listOf(examples), ...listOf(values)];
  if (first !== undefined) return first;
  switch (type) {
    case 'number':
    case 'integer':
      return typeof minimum === 'number' && minimum > 0 ? minimum : 0;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return exampleInput(schema);
    default:
      return 'text';
  }
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
