import { join, relative, sep } from 'node:path';
import { BulkheadError } from '../../errors.js';
import type { Plugin } from '../../plugin/plugin.js';
import type { FoundPlugin, ReadPower } from '../format.js';
import { readEntryPath } from '../pandora/entry-path.js';
import { findBackend } from './backend.js';
import { introduce } from './introduction.js';
import { parseManifest, type SpindleManifest } from './manifest.js';
import { readSpindlePermissions } from './permissions.js';

/** The names that a manifest goes by, in the order in which they are looked for. */
export const MANIFEST_FILES: readonly string[] = [
  'spindle.json',
  'spindlefile',
  'spindlefile.json',
];

/** A manifest is written by hand: kilobytes. Stops a file that fills the host's memory. */
const MAX_MANIFEST_BYTES = 256 * 1024;

/** The manifest's name in that directory, or `undefined` where there is none. */
export async function findManifest(
  power: ReadPower,
  directory: string,
): Promise<string | undefined> {
  for (const name of MANIFEST_FILES) {
    if ((await power.stat(join(directory, name))) === 'file') return name;
  }
  return undefined;
}

/**
 * Reads the extension in a directory. Throws `INVALID_MANIFEST` with every problem it found, and
 * `OUTSIDE_PLUGIN` where the manifest or an entry of it lies elsewhere. An extension without a
 * backend has no entry here: its frontend runs in a browser.
 */
export async function readSpindle(power: ReadPower, root: string): Promise<FoundPlugin> {
  const { file, text } = await readText(power, root);
  const result = parseManifest(text);
  if (!result.ok) throw invalid(join(root, file), result.problems);
  const manifest = result.value;
  const { permissions, names, undeclared, problems } = readSpindlePermissions(manifest);
  const backend = await findBackend(power, root, manifest);
  const plugin: Plugin = {
    id: manifest.identifier,
    format: 'spindle',
    directory: root,
    manifest: file,
    name: manifest.name,
    version: manifest.version,
    description: manifest.description,
    ...seedsOf(manifest),
    about: aboutOf(manifest),
    entries:
      backend.file === undefined
        ? []
        : [
            {
              key: 'tools',
              surface: 'tools',
              file: backend.file,
              dialect: 'spindle',
              confinement: 'compartment',
              declared: permissions,
              undeclared,
              requireApproval: false,
              introduction: introduce(manifest, names),
            },
          ],
    environment: [],
    config: [],
  };
  return { plugin, problems: [...problems, ...backend.problems] };
}

async function readText(
  power: ReadPower,
  root: string,
): Promise<{ readonly file: string; readonly text: string }> {
  const file = await findManifest(power, root);
  const real = file === undefined ? undefined : await power.realpathIn(root, file);
  if (file === undefined || real === undefined) throw invalid(root, ['manifest: is missing']);
  // A link to a file of the host's would put its content into error messages.
  const inside = relative(root, real);
  if (inside === '..' || inside.startsWith(`..${sep}`)) {
    throw new BulkheadError(
      'OUTSIDE_PLUGIN',
      `The manifest of the extension in ${root} is a link that leads out of it. Put the file itself there.`,
      { path: file },
    );
  }
  const text = await power.readFile(real, MAX_MANIFEST_BYTES);
  if (text === undefined) throw invalid(join(root, file), ['manifest: is missing']);
  return { file, text };
}

function invalid(file: string, problems: readonly string[]): BulkheadError {
  return new BulkheadError(
    'INVALID_MANIFEST',
    `${file} is not a valid manifest: ${problems.join('; ')}.`,
    { file, problems },
  );
}

/** Throws `OUTSIDE_PLUGIN` for a path that leads out; where links lead, is found when it is read. */
function seedsOf({ storage_seed_files: written }: SpindleManifest): Pick<Plugin, 'seeds'> {
  if (written === undefined) return {};
  const seeds = written
    .slice(0, MAX_SEEDS)
    .map(({ from, to = from, overwrite, required }, index) => ({
      from: readEntryPath(from, `storage_seed_files[${index}].from`),
      to: readEntryPath(to, `storage_seed_files[${index}].to`),
      overwrite: overwrite ?? false,
      required: required ?? false,
    }));
  return { seeds };
}

/** Stops a manifest that makes its extension slow to install. */
const MAX_SEEDS = 100;

function aboutOf(manifest: SpindleManifest): Readonly<Record<string, string>> {
  const { author, github, homepage, minimum_lumiverse_version: lumiverse } = manifest;
  const about = { author, repository: github, homepage, lumiverse };
  return Object.fromEntries(
    Object.entries(about).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
