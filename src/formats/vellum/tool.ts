import type { RiskBand } from '../../plugin/risk.js';
import type { ExecutionTarget, ToolDefinition } from '../../plugin/tool.js';
import { BulkheadError } from '../../errors.js';
import { checkSchema } from '../../schema/check.js';
import { isObject } from '../../schema/shape.js';
import type { OfferContext } from '../format.js';
import { cutText, quoteText } from '../pandora/text.js';
import { VELLUM_LIMITS } from './limits.js';

export interface ToolSource extends OfferContext {
  /** The name of the tool's file, without extension. */
  readonly stem: string;
  /** Takes what was read otherwise than it was written. */
  readonly report: (problem: string) => void;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads one tool. Every field is optional, and what is not of its type counts as left out. Throws
 * `INVALID_TOOL` for a name that cannot be one, `INVALID_SCHEMA`, and `HOST_MODE_DENIED`.
 */
export function readTool(fields: Fields, source: ToolSource): ToolDefinition {
  const { plugin, entry, stem, maxTimeoutMs } = source;
  const ofWorkspace = plugin.origin === 'workspace';
  const toolId = ofWorkspace ? stem : readName(fields['name'], source);
  const id = `${plugin.id}:${toolId}`;
  const executionTarget = readTarget(fields['executionTarget'], toolId);
  if (executionTarget === 'host' && source.hostMode !== true) throw hostDenied(plugin.id, toolId);
  const declaredRisk = readRisk(
    fields['defaultRiskLevel'],
    ofWorkspace ? 'high' : 'medium',
    source,
  );
  const category = readText(fields['category'], MAX_CATEGORY);
  return {
    id,
    toolId,
    entry: entry.key,
    origin: 'static',
    name: toolId,
    description: readText(fields['description'], VELLUM_LIMITS.maxDescriptionText) ?? '',
    parameters: checkSchema(readSchema(fields['input_schema'], source), id),
    annotations: {
      readOnlyHint: declaredRisk === 'low',
      ...(declaredRisk === 'high' ? { destructiveHint: true } : {}),
    },
    declaredRisk,
    ...(category === undefined ? {} : { category }),
    executionTarget,
    ...(fields['exclusive'] === true ? { exclusive: true } : {}),
    surface: stem,
    timeoutMs: Math.min(TIMEOUT_MS, maxTimeoutMs),
    permissions: entry.declared,
  };
}

function hostDenied(plugin: string, tool: string): BulkheadError {
  const id = JSON.stringify(plugin);
  return new BulkheadError(
    'HOST_MODE_DENIED',
    `The tool ${quoteText(tool)} of ${plugin} wants to run on the host, unconfined, and was not allowed to. To allow it, add ${id} to the engine's hostMode, or --allow-host ${plugin} on the command line: it can then do whatever your user can.`,
    { plugin },
  );
}

/** What Vellum gives every tool. */
const TIMEOUT_MS = 120_000;

const MAX_CATEGORY = 200;

/** The author's name as it is, else what the file's name makes. */
function readName(name: unknown, { plugin, stem, report }: ToolSource): string {
  if (name === undefined || name === null) return nameOfFile(stem);
  if (typeof name !== 'string' || name.trim() === '') {
    report('name: is no text; the tool has the name of its file');
    return nameOfFile(stem);
  }
  if (TOOL_NAME.test(name)) return name;
  throw new BulkheadError(
    'INVALID_TOOL',
    `The tool ${quoteText(name)} of ${plugin.id} (tools/${stem}) has a name that cannot be shown; write one of 1 to 200 characters, without ":" and control characters.`,
    { plugin: plugin.id },
  );
}

// oxlint-disable-next-line no-control-regex -- exactly these characters are what is refused
const TOOL_NAME = /^[^:\u0000-\u001f\u007f]{1,200}$/u;

function nameOfFile(stem: string): string {
  return stem.replace(/[^a-zA-Z0-9]+/g, '_').replace(/^_+|_+$/g, '') || 'tool';
}

function readSchema(schema: unknown, { report }: ToolSource): unknown {
  if (isObject(schema)) return schema;
  if (schema !== undefined && schema !== null) report('input_schema: is no object');
  return { type: 'object', properties: {}, additionalProperties: false };
}

function readRisk(risk: unknown, otherwise: RiskBand, { report }: ToolSource): RiskBand {
  if (risk === 'low' || risk === 'medium' || risk === 'high') return risk;
  if (typeof risk !== 'string') return otherwise;
  // The original takes any word, and then none of its rules applies to it.
  report(`defaultRiskLevel: must be "low", "medium" or "high"; it counts as "high"`);
  return 'high';
}

function readTarget(target: unknown, name: string): ExecutionTarget {
  if (target === 'sandbox' || target === 'host') return target;
  return /^(?:host_|computer_use_)/.test(name) ? 'host' : 'sandbox';
}

function readText(text: unknown, maxCharacters: number): string | undefined {
  return typeof text === 'string' && text !== '' ? cutText(text, maxCharacters) : undefined;
}
