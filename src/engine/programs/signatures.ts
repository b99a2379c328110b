import { isRecord } from '../../../sandbox/wire/json.js';
import type { UnnamedTool } from '../../catalog/catalog.js';
import { visible } from '../../visible.js';
import { CORE } from '../plugins/core-tools.js';

/** The name of the host's own tools in a program: `tools.host.<tool>`. */
const HOST = 'host';

/** The plugin of a tool, as programs write it. */
export function programName({ plugin }: Pick<UnnamedTool, 'plugin'>): string {
  return plugin === CORE ? HOST : plugin;
}

/** How a program calls the tool: `tools.weather.forecast(input: { city: string }): Promise<{ celsius: number }>`. */
export function signatureOf(tool: UnnamedTool): string {
  const path = `tools${memberOf(programName(tool))}${memberOf(tool.tool)}`;
  const input = typeOf(tool.inputSchema, { root: tool.inputSchema, depth: 0 });
  const isOptional =
    isRecord(tool.inputSchema) && listOf(tool.inputSchema['required']).length === 0;
  const { outputSchema } = tool;
  // A program gets structured results as they are, and other results as text or blocks.
  const output =
    outputSchema === undefined ? 'unknown' : typeOf(outputSchema, { root: outputSchema, depth: 0 });
  return `${path}(input${isOptional ? '?' : ''}: ${cut(input, MAX_TYPE)}): Promise<${cut(output, MAX_TYPE)}>`;
}

/** The signature of a tool after its description, as a comment. */
export function declarationOf(tool: UnnamedTool, maxDescription: number = MAX_DESCRIPTION): string {
  const text = comment(tool.description === '' ? tool.title : tool.description, maxDescription);
  return `/** ${text} */\n${signatureOf(tool)}`;
}

/**
 * The declarations of as many tools as fit into the characters, and how many do not. A tool is found by
 * `search` in any case.
 */
export function declarationsWithin(
  tools: readonly UnnamedTool[],
  characters: number,
): { readonly text: string; readonly left: number } {
  const shown: string[] = [];
  let left = characters;
  for (const tool of tools) {
    const text = declarationOf(tool, SHORT_DESCRIPTION);
    left -= text.length + 1;
    if (left < 0) break;
    shown.push(text);
  }
  return { text: shown.join('\n'), left: tools.length - shown.length };
}

const MAX_TYPE = 4_000;
const MAX_DESCRIPTION = 2_000;
const SHORT_DESCRIPTION = 160;
/** Deeper types are `unknown`. */
const MAX_DEPTH = 6;
const MAX_MEMBERS = 64;

interface At {
  /** The whole schema, for `$ref`. */
  readonly root: unknown;
  readonly depth: number;
}

/** The TypeScript type of a JSON Schema. It only informs: the guest of the tool validates the input. */
function typeOf(schema: unknown, at: At): string {
  if (!isRecord(schema) || at.depth > MAX_DEPTH) return 'unknown';
  const below = { ...at, depth: at.depth + 1 };
  const { $ref, type } = schema;
  if (typeof $ref === 'string') return typeOf(referenced(at.root, $ref), below);
  if ('const' in schema) return literal(schema['const']);
  if (Array.isArray(schema['enum'])) return union(schema['enum'].map(literal));
  const choices = [schema['anyOf'], schema['oneOf']].find((list) => Array.isArray(list));
  if (Array.isArray(choices)) return union(choices.map((one) => typeOf(one, below)));
  if (Array.isArray(schema['allOf'])) {
    return schema['allOf'].map((one) => typeOf(one, below)).join(' & ') || 'unknown';
  }
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one }, below)));
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'array') return arrayOf(schema, below);
  if (type === 'object' || isRecord(schema['properties'])) return objectOf(schema, below);
  return 'unknown';
}

function arrayOf({ items }: Record<string, unknown>, at: At): string {
  const item = typeOf(items, at);
  return /^[\w.]+$/.test(item) ? `${item}[]` : `(${item})[]`;
}

function objectOf(schema: Record<string, unknown>, at: At): string {
  const properties = isRecord(schema['properties']) ? Object.entries(schema['properties']) : [];
  const required = new Set(listOf(schema['required']));
  const members = properties.slice(0, MAX_MEMBERS).map(([name, value]) => {
    const key = IDENTIFIER.test(name) ? name : JSON.stringify(visible(name));
    return `${key}${required.has(name) ? '' : '?'}: ${typeOf(value, at)}`;
  });
  if (properties.length > MAX_MEMBERS) members.push('[more: string]: unknown');
  const { additionalProperties } = schema;
  if (members.length === 0 && additionalProperties !== false) {
    return `Record<string, ${isRecord(additionalProperties) ? typeOf(additionalProperties, at) : 'unknown'}>`;
  }
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`;
}

/** Only references within the schema: the check of tools refuses others. */
function referenced(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  let current = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isRecord(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

function literal(value: unknown): string {
  return cut(visible(JSON.stringify(value) ?? 'unknown'), 200);
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  if (distinct.length === 0) return 'never';
  return distinct.length > MAX_MEMBERS ? 'unknown' : distinct.join(' | ');
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

function memberOf(name: string): string {
  return IDENTIFIER.test(name) ? `.${name}` : `[${JSON.stringify(visible(name))}]`;
}

/** A plugin's text in a comment. It cannot end the comment. */
function comment(text: string, characters: number): string {
  const line = visible(text.replaceAll(/\s+/g, ' ').trim());
  return cut(line, characters).replaceAll('*/', '*\u200a/');
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
}
