import { basename } from 'node:path';
import { type Catalog, type CatalogByPlugin, byPlugin } from '../../catalog/catalog.js';
import type { Discovery, DiscoveryProblem } from '../../formats/discover.js';
import { formatNamed } from '../../formats/table.js';
import { subjectHashOf } from '../../plugin/plugin.js';
import type { EntryStatus, PluginAgent, PluginProblem, PluginStatus } from '../types/status.js';
import { asProblem, type InstalledEntry, type InstalledPlugin } from './installed.js';

/** The status of all plugins, or of those whose ids match `about`. */
export function statusesOf(
  installed: readonly InstalledPlugin[],
  { problems }: Discovery,
  catalog: Catalog,
  about: (id: string) => boolean = () => true,
): readonly PluginStatus[] {
  const told = installed.filter(({ plugin }) => about(plugin.id));
  const broken = problems.map(brokenStatus).filter(({ id }) => about(id));
  if (told.length === 0) return broken;
  const sorted = byPlugin(catalog);
  return [...told.map((one) => statusOf(one, sorted)), ...broken];
}

/** The status of an installed plugin. */
function statusOf(installed: InstalledPlugin, catalog: CatalogByPlugin): PluginStatus {
  const { plugin, activation, entries, quarantine } = installed;
  const { reasons } = activation;
  const { id, format, directory, name, version, description } = plugin;
  const problems = [
    ...installed.problems,
    ...(installed.stale ?? []).map(staleProblem),
    ...reasons.map((message): PluginProblem => ({ code: 'PLUGIN_INACTIVE', message })),
    ...entries.flatMap((entry) => entry.problems),
    ...catalog.collisions(id).map(({ tool, message }): PluginProblem => ({
      code: 'NAME_COLLISION',
      message,
      toolId: tool,
    })),
  ];
  const agents = entries.flatMap((entry) => agentsOf(id, entry));
  const unreached = unreachedEvents(installed);
  // An agent without its tools does not make a plugin active.
  const tools = entries.filter(({ entry }) => entry.surface === 'tools');
  const needed = tools.length > 0 ? tools : entries;
  const runs = needed.some((entry) => entry.instances.length > 0);
  const alert = quarantine.alert();
  return {
    id,
    format,
    directory,
    name,
    version,
    description,
    ...(installed.trustGroup === undefined ? {} : { trustGroup: installed.trustGroup }),
    ...(plugin.stateless === undefined ? {} : { stateless: plugin.stateless }),
    ...(installed.isolation === undefined ? {} : { isolation: installed.isolation }),
    state: reasons.length > 0 ? 'inactive' : runs || entries.length === 0 ? 'active' : 'failed',
    problems,
    alerts: [
      ...entries.flatMap(({ contributions }) => contributions?.alerts ?? []),
      ...(alert === undefined ? [] : [alert]),
    ],
    entries: entries.map(entryStatus),
    tools: catalog.tools(id),
    ...(agents.length === 0 ? {} : { agents }),
    ...(plugin.notRun === undefined ? {} : { notRun: plugin.notRun }),
    ...(unreached.length === 0 ? {} : { unreachedEvents: unreached }),
  };
}

function unreachedEvents({ plugin, entries, background }: InstalledPlugin): readonly string[] {
  const { backgroundEvents } = formatNamed(plugin.format);
  if (background || backgroundEvents === undefined) return [];
  return entries.flatMap(({ contributions }) =>
    contributions?.registrations === undefined ? [] : backgroundEvents(contributions.registrations),
  );
}

function agentsOf(
  plugin: string,
  { entry, contributions }: InstalledEntry,
): readonly PluginAgent[] {
  if (contributions?.agent === undefined) return [];
  const { agentId, ...texts } = contributions.agent;
  return [{ id: `${plugin}:${agentId}`, ...texts, useTools: entry.agent?.useTools ?? [] }];
}

function entryStatus({ entry, effective, instances }: InstalledEntry): EntryStatus {
  const { key, surface, file, confinement, declared, undeclared, edition, surfaces } = entry;
  const hooks = surfaces?.filter(({ kind }) => kind === 'hooks').map(({ stem }) => stem);
  const bundle = instances[0] && subjectHashOf(instances[0].bundle);
  return {
    key,
    surface,
    file,
    confinement,
    ...(bundle === undefined ? {} : { bundle }),
    declared,
    ...(undeclared === undefined ? {} : { undeclared }),
    ...(edition === undefined ? {} : { edition }),
    ...(hooks === undefined ? {} : { hooks }),
    effective,
    secrets: (instances[0]?.secrets ?? []).map(({ name, binding }) => ({
      name,
      hosts: [...binding.hosts],
      in: [...binding.in],
    })),
  };
}

/** The status of a directory that looks like a plugin but cannot be read as one. */
function brokenStatus({ directory, error }: DiscoveryProblem): PluginStatus {
  return {
    id: basename(directory),
    format: undefined,
    directory,
    name: basename(directory),
    version: undefined,
    description: undefined,
    state: 'failed',
    problems: [asProblem(error)],
    alerts: [],
    entries: [],
    tools: [],
  };
}

function staleProblem({ message, ...problem }: PluginProblem): PluginProblem {
  return {
    ...problem,
    message: `its last good version continues to run, because the new version does not: ${message}`,
  };
}
