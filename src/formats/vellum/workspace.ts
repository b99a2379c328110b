import { join } from 'node:path';
import { NO_PERMISSIONS } from '../../permissions/permissions.js';
import type { Plugin, Surface } from '../../plugin/plugin.js';
import type { FoundPlugin, ReadPower } from '../format.js';
import { isInside } from '../own-file.js';
import { PLUGIN_API } from './package.js';
import { listSurfaces } from './surfaces.js';

/** Whose the workspace's tools are. No plugin has this id. */
export const WORKSPACE = '(workspace)';

/**
 * Reads the tools that somebody put into a workspace: the files of its `tools/`, which override the
 * host's own of the same names; `tools/NAME.removed` takes one of the host's away; and the files of
 * its `hooks/`, which run after all plugins'. They run as a plugin's do, with what the host grants the
 * plugin `(workspace)`.
 */
export async function readWorkspace(
  power: ReadPower,
  directory: string,
): Promise<FoundPlugin | undefined> {
  const root = await power.realpath(directory);
  if (root === undefined) return undefined;
  const { surfaces, problems } = await listSurfaces(power, root);
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
    removes: await listRemoved(power, root),
  };
  const misnamed = tools
    .filter((tool) => !usable.includes(tool))
    .map(({ file }) => `${file}: its name is no tool's; write 1 to 64 of a-z, A-Z, 0-9, "_", "-"`);
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
    // Hooks of their own came with it.
    edition: 'current',
    confinement: 'compartment',
    declared: NO_PERMISSIONS,
    undeclared: true,
    requireApproval: false,
  };
}

async function listRemoved(power: ReadPower, root: string): Promise<readonly string[]> {
  const directory = await power.realpath(join(root, 'tools'));
  if (directory === undefined || !isInside(root, directory)) return [];
  const names = (await power.listDirectory(directory)) ?? [];
  return names
    .flatMap((name) => /^([a-zA-Z0-9_-]{1,64})\.removed$/.exec(name)?.[1] ?? [])
    .toSorted();
}
