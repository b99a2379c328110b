import type { Catalog } from '../../catalog/catalog.js';
import { BulkheadError } from '../../errors.js';
import { closest } from '../../permissions/closest.js';
import type { PluginStatus } from '../plugins/status.js';

/** Why a name leads to no tool: with what is nearest to it, or what keeps its plugin from running. */
export function explainMissing(
  name: string,
  catalog: Catalog,
  statusOf: (about: (id: string) => boolean) => readonly PluginStatus[],
): BulkheadError {
  const mentioned = statusOf((id) => mentions(name, id));
  const stopped = mentioned.find(({ state }) => state !== 'active');
  if (stopped !== undefined) {
    const reasons = stopped.problems.map(({ message }) => message);
    return new BulkheadError(
      'PLUGIN_INACTIVE',
      `${name} is not there because its plugin ${stopped.id} does not run: ${reasons.join('; ')}`,
      { plugin: stopped.id, reasons },
    );
  }
  const close = closest(name, resembling(name, catalog));
  return new BulkheadError(
    'TOOL_NOT_FOUND',
    `There is no tool ${name}.${close === undefined ? '' : ` Did you mean ${close}?`}`,
    { tool: name, ...(close === undefined ? {} : { close }) },
  );
}

function mentions(name: string, plugin: string): boolean {
  return name.startsWith(`${plugin}:`) || name.startsWith(`${plugin}__`);
}

/** Names that are compared, each letter by letter: whoever misspells one does not hold up the others. */
const MAX_COMPARED = 500;

/** All names, or where these are many those with one half as that one's, as far as it takes a moment. */
function resembling(name: string, catalog: Catalog): readonly string[] {
  const tools = catalog.list();
  if (tools.length * 3 <= MAX_COMPARED) return tools.flatMap((one) => [one.name, one.id, one.tool]);
  const half = Math.ceil(name.length / 2);
  const [start, end] = [name.slice(0, half), name.slice(half)];
  const found = new Set<string>();
  for (const tool of tools) {
    for (const one of [tool.name, tool.id, tool.tool]) {
      if (one.startsWith(start) || one.endsWith(end)) found.add(one);
    }
    if (found.size >= MAX_COMPARED) break;
  }
  return [...found];
}
