import { isBulkheadError } from '../../errors.js';
import type { Contributions, RefusedTool, ToolDefinition } from '../../plugin/tool.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { ContributionContext } from '../format.js';
import { cutText, invalidTool, quoteText } from '../quote.js';
import { FAILED_FIELDS, readTool, type ToolSource } from './tool.js';

/**
 * Reads a guest's answer to the request for its tools: one item for each file of `tools/`, in
 * order, as `{ stem, tool: fields }`, `{ stem, error: text }`, `{ stem, problem: text }` or
 * `{ stem, exports: type }`.
 *
 * The answer is not trusted. A file that failed to load is still a tool, which takes any
 * input, and its caller gets the reason. A tool with a problem is refused alone. A file that does not export an
 * object is not a tool.
 */
export function readContributions(answer: unknown, context: ContributionContext): Contributions {
  const problems: string[] = [];
  const tools = new Map<string, ToolDefinition>();
  const refused: RefusedTool[] = [];
  const described = describedByStem(answer);
  for (const surface of context.entry.surfaces ?? []) {
    if (surface.kind !== 'tools') continue;
    const report = (problem: string): void => {
      if (problems.length < MAX_PROBLEMS) {
        problems.push(cutText(`${surface.file}: ${problem}`, MAX_PROBLEM));
      }
    };
    const { tool, error, problem, exports } = described.get(surface.stem) ?? {};
    if (typeof exports === 'string') {
      report(`is not a tool: its default export is ${exportWord(exports)}, and must be an object`);
      continue;
    }
    if (typeof error === 'string' && context.broken?.includes(surface.file) !== true)
      report(`cannot be loaded: ${quoteText(error)}`);
    const source: ToolSource = { ...context, stem: surface.stem, report };
    try {
      if (typeof problem === 'string') {
        const why = `cannot be read: ${quoteText(problem)}`;
        throw invalidTool(context.plugin.id, surface.file, surface.stem, why);
      }
      const read = readTool(isRecord(tool) ? tool : FAILED_FIELDS, source);
      // In the original the later silently overwrites the earlier.
      if (tools.delete(read.toolId)) {
        report(`has the name ${quoteText(read.toolId)} of another file; the later counts`);
      }
      tools.set(read.toolId, read);
    } catch (thrown) {
      if (!isBulkheadError(thrown)) throw thrown;
      refused.push({ toolId: surface.stem, code: thrown.code, message: thrown.message });
    }
  }
  return { tools: [...tools.values()], refused, alerts: [], problems };
}

const MAX_PROBLEMS = 50;
const MAX_PROBLEM = 500;

function describedByStem(answer: unknown): ReadonlyMap<unknown, Readonly<Record<string, unknown>>> {
  const list: unknown = isRecord(answer) ? answer['tools'] : undefined;
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return new Map(items.filter(isRecord).map((item) => [item['stem'], item]));
}

function exportWord(type: string): string {
  if (type === 'undefined') return 'missing';
  return /^[a-z]{1,20}$/.test(type) ? `of type ${type}` : 'something else';
}
