import { BulkheadError } from '../../errors.js';
import { type Discovery, type DiscoveryProblem, readPlugins } from '../../formats/discover.js';
import type { FoundPlugin, ReadPower } from '../../formats/format.js';
import { readWorkspace, WORKSPACE } from '../../formats/vellum/workspace.js';
import { CORE } from './core-tools.js';
import type { EngineOptions } from '../options/options.js';

/** Ids that are the host's own. */
const RESERVED: ReadonlySet<string> = new Set([CORE, WORKSPACE]);

/**
 * Finds all plugins of an engine, in the order in which they are registered: those that come with
 * the host, those that were installed, and then the tools of its workspace, which is asked for its
 * tools last and wins every name. Of two of one id the first counts.
 */
export async function findPlugins(
  power: ReadPower,
  options: Pick<EngineOptions, 'plugins' | 'defaultPlugins' | 'workspace'>,
): Promise<Discovery> {
  const defaults = await readPlugins(power, options.defaultPlugins ?? []);
  const installed = await readPlugins(power, options.plugins);
  const workspace =
    options.workspace === undefined ? undefined : await readWorkspace(power, options.workspace);
  const plugins = new Map<string, FoundPlugin>();
  const problems: DiscoveryProblem[] = [...defaults.problems, ...installed.problems];
  for (const found of [...defaults.plugins.map(asDefault), ...installed.plugins]) {
    const { id, directory } = found.plugin;
    const first = plugins.get(id);
    if (first === undefined && !RESERVED.has(id)) plugins.set(id, found);
    else if (first?.plugin.directory !== directory) {
      problems.push({ directory, error: taken(found, first) });
    }
  }
  return {
    plugins: [...plugins.values(), ...(workspace === undefined ? [] : [workspace])],
    problems,
  };
}

function asDefault({ plugin, problems }: FoundPlugin): FoundPlugin {
  return { plugin: { ...plugin, origin: 'default' }, problems };
}

function taken({ plugin }: FoundPlugin, first: FoundPlugin | undefined): BulkheadError {
  const owner = first === undefined ? 'the host' : `the plugin in ${first.plugin.directory}`;
  return new BulkheadError(
    'NAME_COLLISION',
    `${plugin.directory} is not used: its id ${JSON.stringify(plugin.id)} belongs to ${owner}. Change the id in its manifest.`,
    { name: plugin.id, plugins: [plugin.directory] },
  );
}
