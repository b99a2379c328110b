import { invalidTool, quoteText } from '../quote.js';
import { readDescription, readToolTitle } from '../tool-texts.js';
import { reportUnreadKeys, type ToolKeys } from '../unread-keys.js';
import { type ToolDefinition, isToolName } from '../../plugin/tool.js';
import type { BulkheadError } from '../../errors.js';
import { checkSchema } from '../../schema/check.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { ContributionContext } from '../format.js';

type Fields = Readonly<Record<string, unknown>>;

/** Reads one registered tool. Throws `INVALID_TOOL` and `INVALID_SCHEMA` if it cannot be used. */
export function readTool(
  fields: Fields,
  toolId: string,
  context: ContributionContext,
  report: (problem: string) => void,
): ToolDefinition {
  const { plugin, entry, maxTimeoutMs } = context;
  const id = `${plugin.id}:${toolId}`;
  const reportTool = (problem: string): void => report(`tool ${quoteText(toolId)}: ${problem}`);
  reportUnreadKeys(fields['unread'], KEYS, reportTool);
  const parameters: unknown = fields['parameters'] ?? { type: 'object', properties: {} };
  if (!isRecord(parameters)) {
    throw refuseTool(context, toolId, 'has parameters that are not an object');
  }
  const { schema, isRepaired } = repairTypes(parameters);
  if (isRepaired)
    reportTool('parameters: type names of other languages are read as JSON Schema types');
  return {
    id,
    toolId,
    entry: entry.key,
    origin: 'static',
    name: readToolTitle(fields['display_name'], 'display_name', reportTool) ?? toolId,
    description: readDescription(fields['description'], reportTool) ?? '',
    parameters: checkSchema(schema, id),
    // A registration has no hints, so the tool counts as one that writes.
    annotations: { readOnlyHint: false },
    declaredRisk: 'medium',
    // A registration has no timeout, so the caller's deadline decides, up to this one.
    timeoutMs: Math.min(MAX_TIMEOUT_MS, maxTimeoutMs),
    permissions: entry.declared,
    council: {
      eligible: fields['council_eligible'] === true,
      inline: fields['inline_available'] === true,
    },
  };
}

const KEYS: ToolKeys = {
  known: [
    'name',
    'display_name',
    'description',
    'parameters',
    'council_eligible',
    'inline_available',
  ],
  elsewhere: new Map([
    ['inputSchema', 'parameters'],
    ['input_schema', 'parameters'],
    ['schema', 'parameters'],
    ['args', 'parameters'],
    ['id', 'name'],
    ['title', 'display_name'],
    ['displayName', 'display_name'],
  ]),
};

/** The bare name of a tool. Throws `INVALID_TOOL`. */
export function readToolName(fields: Fields, context: ContributionContext): string {
  const { name } = fields;
  if (isToolName(name)) return name;
  const shown = typeof name === 'string' ? quoteText(name) : 'that is not a text';
  throw refuseTool(
    context,
    undefined,
    `has the name ${shown}; a name has 1 to 128 characters and no ":"`,
  );
}

/** The error for a tool that cannot be used. */
export function refuseTool(
  { plugin, entry }: ContributionContext,
  toolId: string | undefined,
  why: string,
): BulkheadError {
  return invalidTool(plugin.id, entry.file, toolId, why);
}

/**
 * The parameters of a tool, with types by their JSON Schema names. The original passes any type to
 * models, and authors write names of other languages and services (`STRING`, `int`, `any`). Known
 * names are converted, and everything else stays unchanged.
 */
export function repairTypes(parameters: Readonly<Record<string, unknown>>): {
  readonly schema: Readonly<Record<string, unknown>>;
  /** Whether a type was converted. */
  readonly isRepaired: boolean;
} {
  let isRepaired = false;
  const typeOf = (type: unknown): unknown => {
    if (typeof type !== 'string' || STANDARD.has(type)) return type;
    const meaning = ALIASES.get(type.toLowerCase());
    if (meaning === undefined) return type;
    isRepaired = true;
    return meaning;
  };
  const repair = (value: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((item) => repair(item, depth + 1));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, part]): [string, unknown][] => {
        if (DATA.has(key)) return [[key, part]];
        if (key !== 'type' || isRecord(part)) return [[key, repair(part, depth + 1)]];
        const type = Array.isArray(part) ? part.map(typeOf) : typeOf(part);
        // A schema without a type allows any type.
        return type === ANY || (Array.isArray(type) && type.includes(ANY)) ? [] : [[key, type]];
      }),
    );
  };
  const schema = repair(parameters, 0);
  return { schema: isRecord(schema) ? schema : parameters, isRepaired };
}

/** The schema check refuses deeper schemas. */
const MAX_DEPTH = 64;

const ANY = 'any';

/** Keywords that have values, not schemas. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'example', 'examples']);

const STANDARD: ReadonlySet<string> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
]);

const ALIASES: ReadonlyMap<string, string> = new Map([
  ...[...STANDARD].map((name) => [name, name] as const),
  ['str', 'string'],
  ['text', 'string'],
  ['int', 'integer'],
  ['float', 'number'],
  ['double', 'number'],
  ['bool', 'boolean'],
  ['dict', 'object'],
  ['list', 'array'],
  ['any', ANY],
]);

/** The longest run of a tool without a deadline of its caller, in milliseconds. */
const MAX_TIMEOUT_MS = 60_000;
