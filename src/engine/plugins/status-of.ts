import { basename } from 'node:path';
import type { Catalog, CatalogTool } from '../../catalog/catalog.js';
import type { DiscoveryProblem } from '../../formats/discover.js';
import type { Installed, InstalledEntry } from './installed.js';
import type { EntryStatus, PluginProblem, PluginStatus } from './status.js';

/** What the engine tells of the plugins that it has. */
export function statusesOf(
  installed: readonly Installed[],
  catalog: Catalog,
): readonly PluginStatus[] {
  const tools = new Map<string, CatalogTool[]>();
  for (const tool of catalog.list()) {
    const own = tools.get(tool.plugin);
    if (own === undefined) tools.set(tool.plugin, [tool]);
    else own.push(tool);
  }
  return installed.map((one) => statusOf(one, catalog, tools.get(one.plugin.id) ?? []));
}

function statusOf(
  installed: Installed,
  catalog: Catalog,
  tools: readonly CatalogTool[],
): PluginStatus {
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
  const runs = entries.some((entry) => entry.rooms.length > 0);
  const alert = quarantine.alert();
  return {
    id,
    format,
    directory,
    name,
    version,
    description,
    ...(installed.trustGroup === undefined ? {} : { trustGroup: installed.trustGroup }),
    state: reasons.length > 0 ? 'inactive' : runs || entries.length === 0 ? 'active' : 'failed',
    problems,
    alerts: [
      ...entries.flatMap(({ offer }) => offer?.alerts ?? []),
      ...(alert === undefined ? [] : [alert]),
    ],
    entries: entries.map(entryStatus),
    tools,
  };
}

function entryStatus({ entry, effective, rooms }: InstalledEntry): EntryStatus {
  const { key, surface, file, confinement, declared, undeclared, edition, surfaces } = entry;
  const hooks = surfaces?.filter(({ kind }) => kind === 'hooks').map(({ stem }) => stem);
  const bundle = rooms[0]?.bundle.hash;
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
    secrets: (rooms[0]?.secrets ?? []).map(({ name, binding }) => ({
      name,
      hosts: [...binding.hosts],
      in: [...binding.in],
    })),
  };
}

/** What the engine tells of a directory that looks like a plugin and cannot be read as one. */
export function brokenStatus({ directory, error }: DiscoveryProblem): PluginStatus {
  return {
    id: basename(directory),
    format: undefined,
    directory,
    name: basename(directory),
    version: undefined,
    description: undefined,
    state: 'failed',
    problems: [{ code: error.code, message: error.message }],
    alerts: [],
    entries: [],
    tools: [],
  };
}

function staleProblem({ code, message }: PluginProblem): PluginProblem {
  return {
    code,
    message: `its last good version runs on, as what is there now is not: ${message}`,
  };
}
