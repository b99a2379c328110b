import { invalidTool } from '../invalid-tool.js';
import { isToolName } from '../../plugin/tool-name.js';
import type { BulkheadError } from '../../errors.js';
import type { ToolDefinition } from '../../plugin/tool.js';
import { checkSchema } from '../../schema/check.js';
import { isObject } from '../../schema/shape.js';
import type { OfferContext } from '../format.js';
import { cutText, quoteText } from '../pandora/text.js';
import { mendTypes } from './parameters.js';

type Fields = Readonly<Record<string, unknown>>;

/** Reads one registered tool. Throws `INVALID_TOOL` and `INVALID_SCHEMA` where it cannot be offered. */
export function readTool(
  fields: Fields,
  toolId: string,
  context: OfferContext,
  report: (problem: string) => void,
): ToolDefinition {
  const { plugin, entry, maxTimeoutMs } = context;
  const id = `${plugin.id}:${toolId}`;
  const tell = (problem: string): void => report(`tool ${quoteText(toolId)}: ${problem}`);
  const parameters: unknown = fields['parameters'] ?? { type: 'object', properties: {} };
  if (!isObject(parameters)) throw refuseTool(context, toolId, 'has parameters that are no object');
  const { schema, mended } = mendTypes(parameters);
  if (mended) tell('parameters: types are read as the ones of JSON Schema that they mean');
  return {
    id,
    toolId,
    entry: entry.key,
    origin: 'static',
    name: readText(fields, 'display_name', MAX_NAME, tell) ?? toolId,
    description: readText(fields, 'description', MAX_DESCRIPTION, tell) ?? '',
    parameters: checkSchema(schema, id),
    // Nothing is said of what a tool does, so it counts as one that writes.
    annotations: { readOnlyHint: false },
    declaredRisk: 'medium',
    // Nothing in a registration says how long it takes: that is for whoever calls.
    timeoutMs: maxTimeoutMs,
    permissions: entry.declared,
    council: {
      eligible: fields['council_eligible'] === true,
      inline: fields['inline_available'] === true,
    },
  };
}

/** The bare name of a tool. Throws `INVALID_TOOL`. */
export function readToolName(fields: Fields, context: OfferContext): string {
  const { name } = fields;
  if (isToolName(name)) return name;
  const shown = typeof name === 'string' ? quoteText(name) : 'that is no text';
  throw refuseTool(
    context,
    undefined,
    `has the name ${shown}; a name is of 1 to 128 characters and without ":"`,
  );
}

const MAX_NAME = 200;
const MAX_DESCRIPTION = 16 * 1024;

/** The error for a tool that cannot be offered. */
export function refuseTool(
  { plugin, entry }: OfferContext,
  toolId: string | undefined,
  why: string,
): BulkheadError {
  return invalidTool(plugin.id, entry.file, toolId, why);
}

function readText(
  fields: Fields,
  field: string,
  maxCharacters: number,
  report: (problem: string) => void,
): string | undefined {
  const value = fields[field];
  if (typeof value !== 'string' || value === '') {
    report(`${field}: is missing`);
    return undefined;
  }
  if (value.length > maxCharacters) report(`${field}: is cut to ${maxCharacters} characters`);
  return cutText(value, maxCharacters);
}
