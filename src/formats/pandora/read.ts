import { join } from 'node:path';
import { BulkheadError } from '../../errors.js';
import type { ConfigField, Plugin, PluginEntry } from '../../plugin/plugin.js';
import type { FoundPlugin, DirectoryReader } from '../format.js';
import { readEntryPath, readOwnFile } from '../plugin-files.js';
import { type PandoraConfigField, type PandoraManifest, parseManifest } from './manifest.js';
import { NO_PERMISSIONS } from '../../permissions/permissions.js';
import { readManifestPermissions } from '../manifest-permissions.js';

export const MANIFEST_FILE = 'pandora.manifest.json';

/** Manifests are written by hand and take kilobytes. Stops a file that fills the host's memory. */
const MAX_MANIFEST_BYTES = 256 * 1024;

/**
 * Reads the plugin in a directory. Throws `INVALID_MANIFEST` with every problem, and
 * `OUTSIDE_PLUGIN` if the manifest or an entry is outside. An unreadable permission is a problem
 * and grants nothing; the plugin still loads.
 */
export async function readPandora(reader: DirectoryReader, root: string): Promise<FoundPlugin> {
  const text = await readOwnFile(reader, root, MANIFEST_FILE, MAX_MANIFEST_BYTES);
  if (text === undefined) throw invalid(root, ['manifest: is missing']);
  const result = parseManifest(text);
  if (!result.ok) throw invalid(root, result.problems);
  const manifest = result.value;
  const { entries, problems } = readEntries(manifest.provides);
  const plugin: Plugin = {
    id: manifest.id,
    format: 'pandora',
    directory: root,
    manifest: MANIFEST_FILE,
    name: manifest.name,
    version: manifest.version,
    description: manifest.description,
    about: aboutOf(manifest),
    entries,
    environment: (manifest.envVars ?? []).map(({ name, required = true }) => ({ name, required })),
    config: (manifest.configFields ?? []).map(configField),
    ...statelessness(manifest.provides),
    ...notRun(entries),
  };
  return { plugin, problems };
}

/** Stateless if each of its modules of tools is. */
function statelessness({ tools = [] }: PandoraManifest['provides']): Pick<Plugin, 'stateless'> {
  const isStateless =
    tools.length > 0 && tools.every(({ bulkhead }) => bulkhead?.stateless === true);
  return isStateless ? { stateless: true } : {};
}

/** Channels are not run by any engine here. */
function notRun(entries: readonly PluginEntry[]): Pick<Plugin, 'notRun'> {
  const channels = entries.filter(({ surface }) => surface === 'channels');
  if (channels.length === 0) return {};
  return { notRun: channels.map(({ key, file }) => `${key} (${file})`) };
}

function invalid(root: string, problems: readonly string[]): BulkheadError {
  const file = join(root, MANIFEST_FILE);
  return new BulkheadError(
    'INVALID_MANIFEST',
    `${file} is not a valid manifest: ${problems.join('; ')}.`,
    { file, problems },
  );
}

function aboutOf(manifest: PandoraManifest): Readonly<Record<string, string>> {
  const about: Record<string, string> = {};
  for (const key of ABOUT) {
    const value = manifest[key];
    if (value !== undefined) about[key] = value;
  }
  return about;
}

const ABOUT = ['author', 'icon', 'homepage', 'repository', 'license', 'pandora'] as const;

function configField(written: PandoraConfigField): ConfigField {
  return { ...written, required: written.required ?? false };
}

/**
 * The entries of a manifest. All entries of a surface count, each with its own permissions (the
 * original uses only the last one's tools). Throws `OUTSIDE_PLUGIN`.
 */
function readEntries(provides: PandoraManifest['provides']): {
  readonly entries: readonly PluginEntry[];
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const entries: PluginEntry[] = [];
  for (const surface of ['tools', 'channels'] as const) {
    const all = provides[surface] ?? [];
    if (all.length > MAX_ENTRIES) {
      problems.push(`provides.${surface}: those after ${MAX_ENTRIES} are left out`);
    }
    all.slice(0, MAX_ENTRIES).forEach((written, index) => {
      const at = placeOf(surface, index, all.length);
      const declared = readManifestPermissions(written.permissions, `${at}.permissions`);
      problems.push(...declared.problems);
      entries.push({
        key: keyOf(surface, index),
        surface,
        file: readEntryPath(written.entry, `${at}.entry`),
        dialect: 'pandora',
        confinement: written.sandbox ?? 'compartment',
        declared: declared.permissions,
        requireApproval: written.requireApproval ?? false,
      });
    });
  }
  provides.agents?.forEach((written, index, all) => {
    entries.push({
      key: keyOf('agents', index),
      surface: 'agents',
      file: readEntryPath(written.entry, `${placeOf('agents', index, all.length)}.entry`),
      dialect: 'pandora',
      // The original runs agents in its own process. Here they are data.
      confinement: 'compartment',
      declared: NO_PERMISSIONS,
      requireApproval: false,
      agent: { useTools: written.useTools ?? [], modelTools: written.modelTools ?? [] },
    });
  });
  return { entries, problems };
}

/** Entries of one surface. Each has a guest, so this stops a manifest that starts thousands. */
const MAX_ENTRIES = 16;

function keyOf(surface: PluginEntry['surface'], index: number): string {
  return index === 0 ? surface : `${surface}.${index}`;
}

/** As the author wrote it: with an index only if the list has several entries. */
function placeOf(surface: PluginEntry['surface'], index: number, count: number): string {
  return count === 1 ? `provides.${surface}` : `provides.${surface}[${index}]`;
}
