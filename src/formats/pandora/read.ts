import { join } from 'node:path';
import { BulkheadError } from '../../errors.js';
import type { ConfigField, Plugin } from '../../plugin/plugin.js';
import type { FoundPlugin, ReadPower } from '../format.js';
import { isInside } from '../own-file.js';
import { readEntries } from './entries.js';
import { parseManifest, type PandoraConfigField, type PandoraManifest } from './manifest.js';

export const MANIFEST_FILE = 'pandora.manifest.json';

/** A manifest is written by hand: kilobytes. Stops a file that fills the host's memory. */
const MAX_MANIFEST_BYTES = 256 * 1024;

/**
 * Reads the plugin in a directory. Throws `INVALID_MANIFEST` with every problem it found, and
 * `OUTSIDE_PLUGIN` where the manifest or an entry of it lies elsewhere. A permission that cannot be
 * read grants nothing and is a problem of the plugin, not its end.
 */
export async function readPandora(power: ReadPower, root: string): Promise<FoundPlugin> {
  const text = await readText(power, root);
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
  };
  return { plugin, problems };
}

async function readText(power: ReadPower, root: string): Promise<string> {
  const file = await power.realpathIn(root, MANIFEST_FILE);
  if (file === undefined) throw invalid(root, ['manifest: is missing']);
  // A link to a file of the host's would put its content into error messages.
  if (!isInside(root, file)) {
    throw new BulkheadError(
      'OUTSIDE_PLUGIN',
      `The manifest of the plugin in ${root} is a link that leads out of it. Put the file itself there.`,
      { path: MANIFEST_FILE },
    );
  }
  const text = await power.readFile(file, MAX_MANIFEST_BYTES);
  if (text === undefined) throw invalid(root, ['manifest: is missing']);
  return text;
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
