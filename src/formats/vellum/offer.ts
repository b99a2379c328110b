import { isBulkheadError } from '../../errors.js';
import type { Offer, RefusedTool, ToolDefinition } from '../../plugin/tool.js';
import { isObject } from '../../schema/shape.js';
import type { OfferContext } from '../format.js';
import { cutText, quoteText } from '../pandora/text.js';
import { readTool, type ToolSource } from './tool.js';

/**
 * Reads what a guest answered when it was asked for its tools: one answer for each file of `tools/`,
 * in their order, as `{ stem, tool: fields }`, `{ stem, error: text }` or `{ stem, exports: type }`.
 *
 * None of it is believed. A file that could not be loaded is still a tool, with every field left to
 * its default: whoever calls it gets the reason. One that exports no object is none.
 */
export function readOffer(answer: unknown, context: OfferContext): Offer {
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
    const { tool, error, exports } = described.get(surface.stem) ?? {};
    if (typeof exports === 'string') {
      report(`is no tool: its default export is ${exportWord(exports)}, and has to be an object`);
      continue;
    }
    if (typeof error === 'string' && context.broken?.includes(surface.file) !== true)
      report(`cannot be loaded: ${quoteText(error)}`);
    const source: ToolSource = { ...context, stem: surface.stem, report };
    try {
      const read = readTool(isObject(tool) ? tool : {}, source);
      // In the original the later of two overwrites the earlier without a word.
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
  const list: unknown = isObject(answer) ? answer['tools'] : undefined;
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return new Map(items.filter(isObject).map((item) => [item['stem'], item]));
}

function exportWord(type: string): string {
  if (type === 'undefined') return 'missing';
  return /^[a-z]{1,20}$/.test(type) ? `of type ${type}` : 'something else';
}
