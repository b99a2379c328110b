import type { Catalog } from '../../catalog/catalog.js';
import { BulkheadError } from '../../errors.js';
import { closest } from '../../permissions/closest.js';
import type { PluginStatus } from '../plugins/status.js';

/** Why a name leads to no tool: with what is nearest to it, or what keeps its plugin from running. */
export function explainMissing(
  name: string,
  catalog: Catalog,
  plugins: readonly PluginStatus[],
): BulkheadError {
  const stopped = plugins.find(({ id, state }) => state !== 'active' && mentions(name, id));
  if (stopped !== undefined) {
    const reasons = stopped.problems.map(({ message }) => message);
    return new BulkheadError(
      'PLUGIN_INACTIVE',
      `${name} is not there because its plugin ${stopped.id} does not run: ${reasons.join('; ')}`,
      { plugin: stopped.id, reasons },
    );
  }
  const names = catalog.list().flatMap((tool) => [tool.name, tool.id, tool.tool]);
  const close = closest(name, names);
  return new BulkheadError(
    'TOOL_NOT_FOUND',
    `There is no tool ${name}.${close === undefined ? '' : ` Did you mean ${close}?`}`,
    { tool: name, ...(close === undefined ? {} : { close }) },
  );
}

function mentions(name: string, plugin: string): boolean {
  return name.startsWith(`${plugin}:`) || name.startsWith(`${plugin}__`);
}
