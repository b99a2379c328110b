import { join } from 'node:path';
import { NO_PERMISSIONS } from '../../permissions/permissions.js';
import { type Plugin, type Surface, WORKSPACE } from '../../plugin/plugin.js';
import type { FoundPlugin, DirectoryReader } from '../format.js';
import { isInside } from '../plugin-files.js';
import { PLUGIN_API } from './package.js';
import { listSurfaces } from './read.js';

/**
 * Reads a workspace as a plugin. The files of its `tools/` override the host's tools of the same
 * names. `tools/NAME.removed` removes a tool of the host. The files of its `hooks/` run after all
 * plugins' hooks. All run confined, with the host's grant for the plugin `(workspace)`.
 */
export async function readWorkspace(
  reader: DirectoryReader,
  directory: string,
): Promise<FoundPlugin | undefined> {
  const root = await reader.realpath(directory);
  if (root === undefined) return undefined;
  const { surfaces, problems } = await listSurfaces(reader, root);
  const tools = surfaces.filter(({ kind }) => kind === 'tools');
  const hooks = surfaces.filter(({ kind }) => kind === 'hooks');
  const usable = tools.filter(({ stem }) => NAME.test(stem));
  const plugin: Plugin = {
    id: WORKSPACE,
    format: 'vellum',
    origin: 'workspace',
    directory: root,
    manifest: 'tools',
    name: 'Workspace tools',
    version: undefined,
    description: undefined,
    about: {},
    entries: usable.length + hooks.length === 0 ? [] : [entryOf([...usable, ...hooks])],
    environment: [],
    config: [],
    removes: await listRemoved(reader, root),
  };
  const misnamed = tools
    .filter((tool) => !usable.includes(tool))
    .map(({ file }) => `${file}: is not a tool's name; write 1 to 64 of a-z, A-Z, 0-9, "_", "-"`);
  return { plugin, problems: [...problems, ...misnamed] };
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

function entryOf(surfaces: readonly Surface[]): Plugin['entries'][number] {
  return {
    key: 'tools',
    surface: 'tools',
    file: 'tools',
    surfaces,
    virtualModules: [PLUGIN_API],
    dialect: 'vellum',
    // Only the current edition has workspace hooks.
    edition: 'current',
    confinement: 'compartment',
    declared: NO_PERMISSIONS,
    undeclared: true,
    requireApproval: false,
  };
}

async function listRemoved(reader: DirectoryReader, root: string): Promise<readonly string[]> {
  const directory = await reader.realpath(join(root, 'tools'));
  if (directory === undefined || !isInside(root, directory)) return [];
  const names = (await reader.listDirectory(directory)) ?? [];
  return names
    .flatMap((name) => /^([a-zA-Z0-9_-]{1,64})\.removed$/.exec(name)?.[1] ?? [])
    .toSorted();
}
