import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import { isBulkheadError } from '../../errors.js';
import type { RiskBand } from '../../plugin/risk.js';
import { checkSchema } from '../../schema/check.js';
import { readHints } from '../hints.js';
import { REMOTE_LIMITS } from '../limits.js';
import type { RemoteHints, RemoteProblem } from '../remote.js';
import { isToolName } from '../../plugin/tool-name.js';

/** What a server said that it offers. */
export interface Described {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly tools: readonly DescribedTool[];
  readonly problems: readonly RemoteProblem[];
}

export interface DescribedTool {
  readonly tool: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Where it is sent, as the server wrote it. */
  readonly url: string | undefined;
  readonly annotations: RemoteHints;
  readonly declaredRisk: RiskBand;
  readonly requireApproval: boolean;
  readonly category: string | undefined;
  /** Of all that. */
  readonly hash: string;
}

/** Reads a server's answer to GET. Throws where it is none; one bad tool never costs the others. */
export function readDescription(value: unknown, id: string): Described {
  const listed = isRecord(value) ? value['tools'] : undefined;
  if (!isRecord(value) || !Array.isArray(listed)) {
    throw new Error('what it lists is no object with a list of "tools"');
  }
  const tools = new Map<string, DescribedTool>();
  const problems: RemoteProblem[] = [];
  const all: readonly unknown[] = listed;
  for (const [index, entry] of all.slice(0, REMOTE_LIMITS.maxTools).entries()) {
    const read = readTool(entry, index, id);
    if ('code' in read) problems.push(read);
    else if (tools.has(read.tool)) problems.push(twice(read.tool, id));
    else tools.set(read.tool, read);
  }
  if (all.length > REMOTE_LIMITS.maxTools) problems.push(tooMany(id, all.length));
  return {
    title: textOf(value['title'], 200),
    description: textOf(value['description'], REMOTE_LIMITS.maxDescriptionCharacters),
    tools: [...tools.values()],
    problems,
  };
}

function readTool(entry: unknown, index: number, id: string): DescribedTool | RemoteProblem {
  if (!isRecord(entry)) return refused(`Tool ${index} of ${id} is no object.`);
  const { name, url, category } = entry;
  if (!isToolName(name)) {
    return refused(`Tool ${index} of ${id} has no name of 1 to 128 characters without ":".`);
  }
  // What its server hides until something else unlocks it is not there to be called.
  if (entry['default'] === false) return refused(`${id} does not offer ${name} by default.`, name);
  let inputSchema: JsonObject;
  try {
    inputSchema = checkSchema(entry['input_schema'] ?? { type: 'object' }, `${id}:${name}`).schema;
  } catch (error) {
    if (!isBulkheadError(error)) throw error;
    return { code: error.code, message: error.message, toolId: name };
  }
  const approvalClass = textOf(entry['approval_class'], 40);
  const annotations = readHints(entry['annotations']);
  const read = {
    tool: name,
    description: textOf(entry['description'], REMOTE_LIMITS.maxDescriptionCharacters) ?? '',
    inputSchema,
    url: typeof url === 'string' ? url : undefined,
    annotations:
      approvalClass === 'read_only' ? { readOnlyHint: true, ...annotations } : annotations,
    declaredRisk: CLASSES.get(approvalClass ?? '') ?? riskOf(annotations),
    requireApproval: approvalClass === 'requires_confirmation',
    category: textOf(category, 100),
  };
  return { ...read, hash: createHash('sha256').update(JSON.stringify(read)).digest('hex') };
}

const CLASSES: ReadonlyMap<string, RiskBand> = new Map([
  ['read_only', 'low'],
  ['side_effecting', 'medium'],
  ['control', 'medium'],
  ['requires_confirmation', 'high'],
]);

/** The protocol itself declares nothing: that is medium. */
function riskOf({ readOnlyHint, destructiveHint }: RemoteHints): RiskBand {
  if (readOnlyHint === true) return 'low';
  return destructiveHint === true ? 'high' : 'medium';
}

function textOf(value: unknown, maxCharacters: number): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxCharacters) : undefined;
}

function refused(message: string, toolId?: string): RemoteProblem {
  return { code: 'INVALID_TOOL', message, ...(toolId === undefined ? {} : { toolId }) };
}

function twice(tool: string, id: string): RemoteProblem {
  return refused(`${id} lists ${tool} twice: the first counts.`, tool);
}

function tooMany(id: string, count: number): RemoteProblem {
  return refused(`${id} lists ${count} tools: the first ${REMOTE_LIMITS.maxTools} count.`);
}
