import { isRecord } from '../../sandbox/wire/json.js';
import type { CatalogTool } from '../catalog/catalog.js';
import { searchTools } from '../catalog/search.js';
import type { ModelResult } from './models.js';
import type { OfferedTool } from './served.js';

/** The tool that finds tools, in place of a catalog that is too wide for a model. */
export const SEARCH_TOOLS = 'search_tools';

/** The tool that runs a tool that was found. */
export const CALL_TOOL = 'call_tool';

const MAX_FOUND = 50;

/** The tools that stand for `count` others. */
export function wideTools(count: number): OfferedTool[] {
  return [
    {
      name: SEARCH_TOOLS,
      title: 'Search tools',
      description: `Finds tools by words, best first, with the schemas of their inputs. There are ${count} tools. Run them with ${CALL_TOOL}.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'Words of the task, e.g. "weather forecast".' },
          limit: { type: 'integer', minimum: 1, maximum: MAX_FOUND },
        },
        required: ['query'],
      },
    },
    {
      name: CALL_TOOL,
      title: 'Call a tool',
      description: `Runs a tool that ${SEARCH_TOOLS} found.`,
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'The exact name of the tool.' },
          input: { type: 'object', description: 'The input, as the schema of the tool says.' },
        },
        required: ['name', 'input'],
      },
    },
  ];
}

/** The result of `search_tools`. */
export function runSearch(tools: readonly CatalogTool[], input: unknown): ModelResult {
  const { query, limit } = isRecord(input) ? input : {};
  const found = searchTools(
    tools,
    typeof query === 'string' ? query : '',
    typeof limit === 'number' && limit >= 1 ? Math.min(Math.floor(limit), MAX_FOUND) : undefined,
  ).map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return { isError: false, content: [{ type: 'text', text: JSON.stringify({ tools: found }) }] };
}

/** The call that a call of `call_tool` stands for. `undefined` if it names no tool. */
export function innerCall(
  input: unknown,
): { readonly name: string; readonly input: unknown } | undefined {
  if (!isRecord(input) || typeof input['name'] !== 'string') return undefined;
  return { name: input['name'], input: input['input'] ?? {} };
}
