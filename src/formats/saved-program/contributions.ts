import { isJsonObject } from '../../../sandbox/wire/json.js';
import { isBulkheadError } from '../../errors.js';
import type { Contributions } from '../../plugin/tool.js';
import { checkSchema } from '../../schema/check.js';
import type { ContributionContext } from '../format.js';
import { cutText } from '../quote.js';

/** The name of its only tool. */
const TOOL = 'run';
const MAX_DESCRIPTION = 16 * 1024;

/** The manifest describes the tool. Nothing that the guest answers counts. */
export function readContributions(_answer: unknown, context: ContributionContext): Contributions {
  const { plugin, entry, maxTimeoutMs } = context;
  const { description, inputSchema, tools } = entry.pluginInfo ?? {};
  const id = `${plugin.id}:${TOOL}`;
  const none = { tools: [], refused: [], alerts: [], problems: [] };
  try {
    return {
      ...none,
      tools: [
        {
          id,
          toolId: TOOL,
          entry: entry.key,
          origin: 'static',
          name: plugin.id,
          description: describe(description, tools),
          parameters: checkSchema(
            isJsonObject(inputSchema) ? inputSchema : { type: 'object', properties: {} },
            id,
          ),
          annotations: { readOnlyHint: false },
          // The program itself can do nothing. Each of its calls has the risk of its tool.
          declaredRisk: 'low',
          timeoutMs: maxTimeoutMs,
          permissions: entry.declared,
        },
      ],
    };
  } catch (error) {
    if (!isBulkheadError(error)) throw error;
    return { ...none, refused: [{ toolId: TOOL, code: error.code, message: error.message }] };
  }
}

/** The tools that it may call are part of the description, so that a review of an update shows them. */
function describe(description: unknown, tools: unknown): string {
  const text = typeof description === 'string' ? cutText(description, MAX_DESCRIPTION) : '';
  const named: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return `${text}\n\nIt may call ${named.length === 0 ? 'no tools' : named.map(String).join(', ')}.`;
}
