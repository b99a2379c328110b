import type { RiskBand } from '../../plugin/risk.js';
import type { ExecutionTarget, ToolDefinition } from '../../plugin/tool.js';
import { BulkheadError } from '../../errors.js';
import { checkSchema } from '../../schema/check.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { ContributionContext } from '../format.js';
import { cutText, quoteText } from '../quote.js';
import { reportUnreadKeys, type ToolKeys } from '../unread-keys.js';
import { VELLUM_LIMITS } from './limits.js';
import { shellWord } from '../../visible.js';

export interface ToolSource extends ContributionContext {
  /** The name of the tool's file, without extension. */
  readonly stem: string;
  /** Reports values that were corrected or ignored. */
  readonly report: (problem: string) => void;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads one tool. Every field is optional; a value of another type counts as absent. Throws
 * `INVALID_TOOL` for a name that is not allowed, `INVALID_SCHEMA`, and `HOST_MODE_DENIED`.
 */
export function readTool(fields: Fields, source: ToolSource): ToolDefinition {
  const { plugin, entry, stem, maxTimeoutMs, report } = source;
  const ofWorkspace = plugin.origin === 'workspace';
  const toolId = ofWorkspace ? stem : readName(fields['name'], source);
  const id = `${plugin.id}:${toolId}`;
  const executionTarget = readTarget(fields['executionTarget'], toolId);
  // guard: vellum-host-target-allowed
  if (executionTarget === 'host' && source.hostMode !== true) throw hostDenied(plugin.id, toolId);
  const declaredRisk = readRisk(
    fields['defaultRiskLevel'],
    ofWorkspace ? 'high' : 'medium',
    source,
  );
  if (fields['isPromise'] === true) {
    report(
      'its default export is a promise, which is not awaited. Await it: export default await …',
    );
  } else if (fields['executable'] === false) {
    report('has no execute function, so each call fails');
  }
  reportUnreadKeys(fields['unread'], KEYS, report);
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

const KEYS: ToolKeys = {
  known: ['name', 'description', 'input_schema', 'defaultRiskLevel', 'executionTarget', 'execute'],
  elsewhere: new Map([
    ['inputSchema', 'input_schema'],
    ['parameters', 'input_schema'],
    ['schema', 'input_schema'],
    ['risk', 'defaultRiskLevel'],
    ['riskLevel', 'defaultRiskLevel'],
    ['run', 'execute'],
    ['handler', 'execute'],
  ]),
};

/** The fields of a tool whose file failed: its caller gets the reason, whatever the input is. */
export const FAILED_FIELDS: Fields = { input_schema: { type: 'object' } };

function hostDenied(plugin: string, tool: string): BulkheadError {
  const id = JSON.stringify(plugin);
  return new BulkheadError(
    'HOST_MODE_DENIED',
    `The tool ${quoteText(tool)} of ${plugin} asks to run on the host, unconfined, and that is not allowed. To allow it, add ${id} to the engine's hostMode, or --allow-host ${shellWord(plugin)} on the command line: the tool can then do whatever your user can.`,
    { plugin },
  );
}

/** Vellum's timeout of every tool. */
const TIMEOUT_MS = 120_000;

const MAX_CATEGORY = 200;

/** The author's name unchanged, else a name derived from the file's. */
function readName(name: unknown, { plugin, stem, report }: ToolSource): string {
  if (name === undefined || name === null) return nameOfFile(stem);
  if (typeof name !== 'string' || name.trim() === '') {
    report('name: is not a text; the tool gets the name of its file');
    return nameOfFile(stem);
  }
  if (TOOL_NAME.test(name)) return name;
  throw new BulkheadError(
    'INVALID_TOOL',
    `The tool ${quoteText(name)} of ${plugin.id} (tools/${stem}) has a name that is not allowed; write one of 1 to 200 characters, without ":" and control characters.`,
    { plugin: plugin.id },
  );
}

// oxlint-disable-next-line no-control-regex -- exactly these characters are what is refused
const TOOL_NAME = /^[^:\u0000-\u001f\u007f]{1,200}$/u;

function nameOfFile(stem: string): string {
  return stem.replace(/[^a-zA-Z0-9]+/g, '_').replace(/^_+|_+$/g, '') || 'tool';
}

function readSchema(schema: unknown, { report }: ToolSource): unknown {
  if (isRecord(schema)) return schema;
  if (schema !== undefined && schema !== null) report('input_schema: is not an object');
  return { type: 'object', properties: {}, additionalProperties: false };
}

function readRisk(risk: unknown, otherwise: RiskBand, { report }: ToolSource): RiskBand {
  if (risk === 'low' || risk === 'medium' || risk === 'high') return risk;
  if (typeof risk !== 'string') return otherwise;
  // The original accepts any text, and then applies none of its rules.
  report(`defaultRiskLevel: must be "low", "medium" or "high"; it counts as "high"`);
  // guard: vellum-unknown-risk-is-high
  return 'high';
}

function readTarget(target: unknown, name: string): ExecutionTarget {
  if (target === 'sandbox' || target === 'host') return target;
  return /^(?:host_|computer_use_)/.test(name) ? 'host' : 'sandbox';
}

function readText(text: unknown, maxCharacters: number): string | undefined {
  return typeof text === 'string' && text !== '' ? cutText(text, maxCharacters) : undefined;
}
