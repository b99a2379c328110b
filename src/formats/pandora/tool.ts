import { invalidTool } from '../invalid-tool.js';
import { isToolName } from '../../plugin/tool-name.js';
import type { BulkheadError } from '../../errors.js';
import { coversAll, effectivePermissions } from '../../permissions/effective.js';
import type { Permissions } from '../../permissions/kind.js';
import type { PluginEntry } from '../../plugin/plugin.js';
import { bandOfHints } from '../../plugin/risk.js';
import type { ToolDefinition } from '../../plugin/tool.js';
import { checkSchema, type JsonSchemaDocument } from '../../schema/check.js';
import { readShape } from '../../schema/shape.js';
import { readAnnotations } from './annotations.js';
import { permissionsShape } from './manifest.js';
import { readPandoraPermissions } from './permissions.js';
import { cutText, quoteText } from './text.js';
import { readTimeout } from './timeout.js';

export interface ToolContext {
  readonly pluginId: string;
  readonly entry: PluginEntry;
  /** The longest that the host lets any tool take. */
  readonly maxTimeoutMs: number;
  readonly origin: ToolDefinition['origin'];
  /** Takes what was read otherwise than it was written, as `tool "x": …`. */
  readonly report: (problem: string) => void;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads one tool. Throws `INVALID_TOOL` and `INVALID_SCHEMA` where it cannot be offered. */
export function readTool(fields: Fields, toolId: string, context: ToolContext): ToolDefinition {
  const id = `${context.pluginId}:${toolId}`;
  const report = (problem: string): void => context.report(`tool ${quoteText(toolId)}: ${problem}`);
  if (fields['executable'] !== true) throw refuseTool(context, toolId, 'has no execute function');
  reportSandbox(fields['sandbox'], context.entry, report);
  const read = {
    id,
    toolId,
    entry: context.entry.key,
    origin: context.origin,
    name: readText(fields, 'name', MAX_NAME, report) ?? toolId,
    description: readText(fields, 'description', MAX_DESCRIPTION, report) ?? '',
    parameters: readParameters(fields['parameters'], id),
    annotations: readAnnotations(fields['annotations'], report),
    timeoutMs: readTimeout(fields['timeout'], context.maxTimeoutMs, report),
    permissions: readOwnPermissions(fields['permissions'], context.entry, report),
  };
  return { ...read, declaredRisk: bandOfHints(read.annotations) };
}

/** The id of a tool, within its plugin. Throws `INVALID_TOOL`. */
export function readToolId(fields: Fields, context: ToolContext): string {
  const { id } = fields;
  if (isToolName(id)) return id;
  const shown = typeof id === 'string' ? quoteText(id) : 'that is no text';
  throw refuseTool(
    context,
    undefined,
    `has the id ${shown}; an id is of 1 to ${MAX_ID} characters and without ":"`,
  );
}

const MAX_ID = 128;
const MAX_NAME = 200;
/** Models read every description in every turn: the longest that are useful are a tenth of it. */
const MAX_DESCRIPTION = 16 * 1024;

/** The error for a tool that cannot be offered. */
export function refuseTool(
  { pluginId, entry }: ToolContext,
  toolId: string | undefined,
  why: string,
): BulkheadError {
  return invalidTool(pluginId, entry.file, toolId, why);
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

function readParameters(value: unknown, id: string): JsonSchemaDocument {
  return checkSchema(value ?? { type: 'object', properties: {} }, id);
}

// The modules of an entry are loaded as one, before any tool of theirs is known: how they run is
// for the manifest to say, which was read and consented to before.
function reportSandbox(
  value: unknown,
  { confinement }: PluginEntry,
  report: (problem: string) => void,
): void {
  if (value === undefined || value === null || value === confinement) return;
  report(`sandbox: is ignored; it runs as its manifest says, "${confinement}"`);
}

function readOwnPermissions(
  value: unknown,
  { declared }: PluginEntry,
  report: (problem: string) => void,
): Permissions {
  if (value === undefined || value === null) return declared;
  const written = readShape(permissionsShape, value, 'permissions');
  if (!written.ok) {
    report(`permissions: are ignored: ${written.problems.join('; ')}`);
    return declared;
  }
  const { permissions, problems } = readPandoraPermissions(written.value, 'permissions');
  problems.forEach(report);
  if (coversAll(declared, permissions)) return effectivePermissions(permissions, declared);
  report('permissions: ask for more than the manifest declares; it gets what the manifest says');
  return declared;
}
