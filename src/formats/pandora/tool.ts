import { cutText, invalidTool, quoteText } from '../quote.js';
import { readDescription, readToolTitle } from '../tool-texts.js';
import { reportUnreadKeys, type ToolKeys } from '../unread-keys.js';
import { isToolName, type ToolAnnotations, type ToolDefinition } from '../../plugin/tool.js';
import type { BulkheadError } from '../../errors.js';
import { coversAll, effectivePermissions } from '../../permissions/grant.js';
import type { Permissions } from '../../permissions/kind.js';
import type { PluginEntry } from '../../plugin/plugin.js';
import { bandOfHints } from '../../plugin/risk.js';
import { checkSchema, type JsonSchemaDocument } from '../../schema/check.js';
import { readShape } from '../../schema/shape.js';
import { permissionsShape, readManifestPermissions } from '../manifest-permissions.js';
import { isRecord } from '../../../sandbox/wire/json.js';

export interface ToolContext {
  readonly pluginId: string;
  readonly entry: PluginEntry;
  /** The longest time in milliseconds that the host allows any tool. */
  readonly maxTimeoutMs: number;
  readonly origin: ToolDefinition['origin'];
  /** Reports values that were corrected or ignored, as `tool "x": …`. */
  readonly report: (problem: string) => void;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads one tool. Throws `INVALID_TOOL` and `INVALID_SCHEMA` if it cannot be used. */
export function readTool(fields: Fields, toolId: string, context: ToolContext): ToolDefinition {
  const id = `${context.pluginId}:${toolId}`;
  const report = (problem: string): void => context.report(`tool ${quoteText(toolId)}: ${problem}`);
  if (fields['executable'] !== true) throw refuseTool(context, toolId, 'has no execute function');
  reportSandbox(fields['sandbox'], context.entry, report);
  reportUnreadKeys(fields['unread'], KEYS, report);
  const read = {
    id,
    toolId,
    entry: context.entry.key,
    origin: context.origin,
    name: readToolTitle(fields['name'], 'name', report) ?? toolId,
    description: readDescription(fields['description'], report) ?? '',
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
  const found =
    typeof id === 'string'
      ? `has the id ${quoteText(id)}`
      : id === undefined
        ? 'has no id'
        : 'has an id that is not a text';
  throw refuseTool(context, undefined, `${found}; an id has 1 to ${MAX_ID} characters and no ":"`);
}

const MAX_ID = 128;

/** The error for a tool that cannot be used. */
export function refuseTool(
  { pluginId, entry }: ToolContext,
  toolId: string | undefined,
  why: string,
): BulkheadError {
  return invalidTool(pluginId, entry.file, toolId, why);
}

function readParameters(value: unknown, id: string): JsonSchemaDocument {
  return value === undefined || value === null ? NO_PARAMETERS : checkSchema(value, id);
}

const NO_PARAMETERS = checkSchema({ type: 'object', properties: {} }, 'a tool without parameters');

const KEYS: ToolKeys = {
  known: [
    'description',
    'parameters',
    'execute',
    'timeout',
    'sandbox',
    'permissions',
    'annotations',
  ],
  elsewhere: new Map([
    ['inputSchema', 'parameters'],
    ['input_schema', 'parameters'],
    ['schema', 'parameters'],
    ['args', 'parameters'],
    ['run', 'execute'],
    ['handler', 'execute'],
    ['call', 'execute'],
    ['timeoutMs', 'timeout'],
  ]),
};

// An entry's modules are loaded as one, before its tools are known. The manifest says how they run,
// and the operator accepted the manifest.
function reportSandbox(
  value: unknown,
  { confinement }: PluginEntry,
  report: (problem: string) => void,
): void {
  if (value === undefined || value === null || value === confinement) return;
  report(`sandbox: is ignored; the tool runs as the manifest says, "${confinement}"`);
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
  const { permissions, problems } = readManifestPermissions(written.value, 'permissions');
  problems.forEach(report);
  if (coversAll(declared, permissions)) return effectivePermissions(permissions, declared);
  report('permissions: ask for more than the manifest declares; the manifest counts');
  return declared;
}

const MAX_TITLE = 200;

/**
 * Reads a tool's hints. Only `true` and `false` count. A tool without the read-only hint counts as
 * one that writes.
 */
export function readAnnotations(
  value: unknown,
  report: (problem: string) => void,
): ToolAnnotations {
  if (!isRecord(value)) {
    report(
      'annotations: are missing, so the tool counts as one that writes. To fix this, write annotations: { readOnlyHint: true } if it only reads, or { readOnlyHint: false }',
    );
    return { readOnlyHint: false };
  }
  const hint = (name: string): boolean | undefined => {
    const given = value[name];
    if (typeof given === 'boolean') return given;
    if (given !== undefined && given !== null) report(`annotations.${name}: must be true or false`);
    return undefined;
  };
  const { title } = value;
  const readOnlyHint = hint('readOnlyHint') ?? false;
  const destructiveHint = hint('destructiveHint');
  const idempotentHint = hint('idempotentHint');
  return {
    ...(typeof title === 'string' && title !== '' ? { title: cutText(title, MAX_TITLE) } : {}),
    readOnlyHint,
    ...(destructiveHint === undefined ? {} : { destructiveHint }),
    ...(idempotentHint === undefined ? {} : { idempotentHint }),
  };
}

/** Pandora's default: one minute. */
const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * Reads a tool's own timeout in milliseconds, up to the host's cap: a timer over 2³¹ − 1 ms fires
 * at once. Numbers that JSON cannot represent arrive as text.
 */
export function readTimeout(
  value: unknown,
  maxTimeoutMs: number,
  report: (problem: string) => void,
): number {
  const fallback = Math.min(DEFAULT_TIMEOUT_MS, maxTimeoutMs);
  if (value === undefined || value === null) return fallback;
  const ms = value === 'Infinity' ? Infinity : value;
  if (typeof ms !== 'number' || !(ms > 0)) {
    report(`timeout: must be a number of milliseconds above 0; the tool gets ${fallback} ms`);
    return fallback;
  }
  // guard: tool-timeout-cap
  if (ms <= maxTimeoutMs) return Math.ceil(ms);
  report(`timeout: is more than the host allows; the tool gets ${maxTimeoutMs} ms`);
  return maxTimeoutMs;
}
