import type { Catalog } from '../../catalog/catalog.js';
import { BulkheadError } from '../../errors.js';
import { didYouMean } from '../../did-you-mean.js';
import type { StopGate } from '../../stops/gate.js';
import { stoppedError } from '../../stops/stop.js';
import type { PluginStatus } from '../types/status.js';

/** Explains why no tool has this name: its plugin does not run, or a similar name exists. */
export function explainMissing(
  name: string,
  catalog: Catalog,
  statusOf: (about: (id: string) => boolean) => readonly PluginStatus[],
  stops: StopGate,
): BulkheadError {
  const stop = stops
    .list()
    .find(
      ({ target }) =>
        'everything' in target || ('plugin' in target && mentions(name, target.plugin)),
    );
  if (stop !== undefined) return stoppedError(stop);
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
  const close = didYouMean(name, resembling(name, catalog));
  return new BulkheadError(
    'TOOL_NOT_FOUND',
    `There is no tool ${name}.${close === undefined ? '' : ` Did you mean ${close}?`}`,
    { tool: name, ...(close === undefined ? {} : { close }) },
  );
}

function mentions(name: string, plugin: string): boolean {
  return name.startsWith(`${plugin}:`) || name.startsWith(`${plugin}__`);
}

/** Most names to compare. The cap bounds the time that a misspelled name costs. */
const MAX_COMPARED = 500;

/** All names. If there are too many, only names that share the first or the last half of `name`. */
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
    // guard: suggestion-search-cap
    if (found.size >= MAX_COMPARED) break;
  }
  return [...found];
}
