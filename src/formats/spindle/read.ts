import { join } from 'node:path';
import { BulkheadError } from '../../errors.js';
import type { Plugin } from '../../plugin/plugin.js';
import type { FoundPlugin, DirectoryReader } from '../format.js';
import { readEntryPath, readOwnFile } from '../plugin-files.js';
import { parseManifest, type SpindleManifest } from './manifest.js';
import { readSpindlePermissions } from './permissions.js';
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../sandbox/wire/messages.js';

/** The names of a manifest, in the order of preference. */
const MANIFEST_FILES: readonly string[] = ['spindle.json', 'spindlefile', 'spindlefile.json'];

/** Manifests are written by hand and take kilobytes. Stops a file that fills the host's memory. */
const MAX_MANIFEST_BYTES = 256 * 1024;

/** The manifest's name in a directory; `undefined` if there is none. */
export async function findManifest(
  reader: DirectoryReader,
  directory: string,
): Promise<string | undefined> {
  for (const name of MANIFEST_FILES) {
    if ((await reader.stat(join(directory, name))) === 'file') return name;
  }
  return undefined;
}

/**
 * Reads the extension in a directory. Throws `INVALID_MANIFEST` with every problem, and
 * `OUTSIDE_PLUGIN` if the manifest or an entry is outside. An extension without a backend has no
 * entry, because its frontend runs in a browser.
 */
export async function readSpindle(reader: DirectoryReader, root: string): Promise<FoundPlugin> {
  const { file, text } = await readText(reader, root);
  const result = parseManifest(text);
  if (!result.ok) throw invalid(join(root, file), result.problems);
  const manifest = result.value;
  const { permissions, names, undeclared, problems } = readSpindlePermissions(manifest);
  const backend = await findBackend(reader, root, manifest);
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
              pluginInfo: readPluginInfo(manifest, names),
            },
          ],
    environment: [],
    config: [],
  };
  const missing = await missingSeeds(reader, root, manifest);
  return { plugin, problems: [...problems, ...backend.problems, ...missing] };
}

async function readText(
  reader: DirectoryReader,
  root: string,
): Promise<{ readonly file: string; readonly text: string }> {
  const file = await findManifest(reader, root);
  if (file === undefined) throw invalid(root, ['manifest: is missing']);
  const text = await readOwnFile(reader, root, file, MAX_MANIFEST_BYTES);
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

/** Throws `OUTSIDE_PLUGIN` for a path that leads out. File reads check links. */
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

/** Seeds without a source. A required one also fails when the extension is loaded. */
async function missingSeeds(
  reader: DirectoryReader,
  root: string,
  { storage_seed_files: seeds = [] }: SpindleManifest,
): Promise<readonly string[]> {
  const kinds = await Promise.all(
    seeds.slice(0, MAX_SEEDS).map(({ from }) => reader.stat(join(root, readEntryPath(from, '')))),
  );
  return kinds.flatMap((kind, index) => {
    if (kind === 'file' || kind === 'directory') return [];
    const { from = '', required = false } = seeds[index] ?? {};
    const name = JSON.stringify(from.slice(0, 200));
    return [
      `storage_seed_files[${index}].from: there is no file or directory ${name}, so ${required ? 'the extension does not load' : 'nothing is copied'}`,
    ];
  });
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

/** The sources of a backend that was not built, in the order of preference. */
const SOURCES = ['src/backend.ts', 'src/backend.tsx', 'src/backend.mts', 'src/backend.js'];

/**
 * The backend's first file: the built one, else its source, else `undefined`. Throws
 * `OUTSIDE_PLUGIN` for a path that leads out. The bundler checks the targets of links.
 */
async function findBackend(
  reader: DirectoryReader,
  root: string,
  manifest: SpindleManifest,
): Promise<{ readonly file: string | undefined; readonly problems: readonly string[] }> {
  const { entry_backend: written, entry_frontend: frontend } = manifest;
  if (frontend !== undefined) readEntryPath(frontend, 'entry_frontend');
  const built = readEntryPath(written ?? 'dist/backend.js', 'entry_backend');
  for (const file of [built, ...SOURCES]) {
    if ((await reader.stat(join(root, file))) === 'file') return { file, problems: [] };
  }
  return {
    file: undefined,
    problems:
      written === undefined
        ? []
        : [`entry_backend: there is no file ${JSON.stringify(built)}, so the backend does not run`],
  };
}

/**
 * The extension's information about itself: `spindle.manifest`, the requested permissions, and the
 * id of its installation, which depends only on the identifier.
 */
function readPluginInfo(written: SpindleManifest, requested: readonly string[]): JsonObject {
  const { bulkhead: _, ...manifest } = written;
  const copy: JsonObject = JSON.parse(JSON.stringify({ ...manifest, permissions: requested }));
  return { manifest: copy, installationId: installationIdOf(manifest.identifier) };
}

/** A UUID of version 5 (made from a name) in lower case. Extensions accept versions 1 to 5. */
function installationIdOf(identifier: string): string {
  const hex = createHash('sha256').update(`spindle:${identifier}`).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}
