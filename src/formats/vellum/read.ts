import { basename, join } from 'node:path';
import { didYouMean } from '../../did-you-mean.js';
import { BulkheadError } from '../../errors.js';
import { HOOK_NAMES, isHookName } from '../../plugin/hooks.js';
import type { Plugin, PluginEntry, Surface } from '../../plugin/plugin.js';
import type { FoundPlugin, DirectoryReader } from '../format.js';
import { isInside, readOwnFile } from '../plugin-files.js';
import {
  CREDENTIALS,
  identityOf,
  MANIFEST_FILE,
  type Needs,
  parsePackage,
  PLUGIN_API,
  readEdition,
  readNeeds,
  type VellumPackage,
} from './package.js';
import { VELLUM_LIMITS } from './limits.js';
import type { Permissions } from '../../permissions/kind.js';
import { NO_PERMISSIONS } from '../../permissions/permissions.js';
import { isJsonObject, isRecord } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { readShape } from '../../schema/shape.js';
import { permissionsShape, readManifestPermissions } from '../manifest-permissions.js';

/** The file that disables a plugin. */
const DISABLED_FILE = '.disabled';

/**
 * Reads the plugin in a directory: its `package.json` and the names of its files. Throws
 * `INVALID_MANIFEST` if the package has no name that can be a plugin's id.
 */
export async function readVellum(reader: DirectoryReader, root: string): Promise<FoundPlugin> {
  const written = await readPackage(reader, root);
  const { surfaces, problems: left } = await listSurfaces(reader, root);
  const hooks = surfaces.flatMap(({ kind, stem }) => (kind === 'hooks' ? [stem] : []));
  const { edition, problems } = await readEdition(written, hooks);
  const id = identityOf(written.name, root, edition);
  if (id === undefined) {
    const problem = `name: ${JSON.stringify(written.name.slice(0, 200))} is not a plugin's name; write one of a-z, 0-9 and single "-", like "my-plugin"`;
    throw invalid(root, [problem]);
  }
  const needs = readNeeds(written);
  const declaration = withCredentials(readDeclaration(written.bulkhead), needs);
  const installedAtMs = await readInstalledAt(reader, root);
  const defaults = await readDefaults(reader, root);
  const notRun = [...(await listNotRun(reader, root)), ...unknownHooks(surfaces)];
  const isDisabled = (await reader.stat(join(root, DISABLED_FILE))) !== undefined;
  const plugin: Plugin = {
    id,
    format: 'vellum',
    directory: root,
    manifest: MANIFEST_FILE,
    name: written.displayName ?? written.name,
    version: written.version,
    description: written.description,
    about: written.about,
    // A plugin may have only skills or routes, which no engine runs.
    entries:
      surfaces.length === 0
        ? []
        : [
            {
              key: 'plugin',
              surface: 'tools',
              file: MANIFEST_FILE,
              surfaces,
              virtualModules: [PLUGIN_API],
              dialect: 'vellum',
              edition,
              confinement: 'compartment',
              ...declaration.entry,
              requireApproval: false,
            },
          ],
    environment: [],
    config: [],
    ...needs.plugin,
    ...(isRecord(written.bulkhead) && written.bulkhead['stateless'] === true
      ? { stateless: true }
      : {}),
    ...(defaults.value === undefined ? {} : { configDefaults: defaults.value }),
    ...(notRun.length === 0 ? {} : { notRun }),
    ...(installedAtMs === undefined ? {} : { installedAtMs }),
    ...(isDisabled ? { disabled: `it is disabled; remove the file ${DISABLED_FILE} from it` } : {}),
  };
  return {
    plugin,
    problems: [
      ...problems,
      ...left,
      ...misspeltHooks(surfaces),
      ...declaration.problems,
      ...needs.problems,
      ...defaults.problems,
    ],
  };
}

/** A plugin that requires a credential also requests the permission to read it. */
function withCredentials({ entry, problems }: Declaration, { plugin }: Needs): Declaration {
  const { declared } = entry;
  if (plugin.credentials === undefined || declared.powers.includes(CREDENTIALS)) {
    return { entry, problems };
  }
  const powers = [...declared.powers, CREDENTIALS];
  return { entry: { ...entry, declared: { ...declared, powers } }, problems };
}

async function readPackage(reader: DirectoryReader, root: string): Promise<VellumPackage> {
  const text = await readOwnFile(reader, root, MANIFEST_FILE, VELLUM_LIMITS.maxManifestBytes);
  const result =
    text === undefined ? ({ ok: false, problems: ['is missing'] } as const) : parsePackage(text);
  if (!result.ok) throw invalid(root, result.problems);
  return result.value;
}

function invalid(root: string, problems: readonly string[]): BulkheadError {
  const file = join(root, MANIFEST_FILE);
  return new BulkheadError(
    'INVALID_MANIFEST',
    `${file} is not a plugin's package: ${problems.join('; ')}.`,
    { file, problems },
  );
}

interface Declaration {
  readonly entry: Pick<PluginEntry, 'declared' | 'undeclared'>;
  readonly problems: readonly string[];
}

/**
 * Reads `"bulkhead": { "permissions": { … } }` of a package, in Pandora's manifest format. Vellum
 * has no permissions. Without the key a package requests what Vellum gives every plugin and what
 * cannot affect other plugins: time, random numbers and its own storage. An invalid key is a
 * problem, and requests nothing.
 */
function readDeclaration(bulkhead: unknown): Declaration {
  const isHint = isRecord(bulkhead) && Object.keys(bulkhead).join() === 'stateless';
  // A hint does not declare permissions.
  if (bulkhead === undefined || isHint) {
    return { entry: { declared: DEFAULT, undeclared: true }, problems: [] };
  }
  if (!isRecord(bulkhead)) return nothing(['bulkhead: must be an object']);
  const written = readShape(permissionsShape, bulkhead['permissions'] ?? {}, AT);
  if (!written.ok) return nothing(written.problems.map((problem) => `${AT}.${problem}`));
  const { permissions, problems } = readManifestPermissions(written.value, AT);
  return { entry: { declared: permissions }, problems };
}

const DEFAULT: Permissions = { ...NO_PERMISSIONS, time: true, random: true, storage: true };

const AT = 'bulkhead.permissions';

function nothing(problems: readonly string[]): Declaration {
  return { entry: { declared: NO_PERMISSIONS }, problems };
}

const CONFIG_FILE = 'config.json';

/** Reads the configuration that a plugin ships. The operator's configuration overrides its fields. */
async function readDefaults(
  reader: DirectoryReader,
  root: string,
): Promise<{ readonly value?: JsonObject; readonly problems: readonly string[] }> {
  const text = await readOwnFile(
    reader,
    root,
    CONFIG_FILE,
    VELLUM_LIMITS.maxInstallMetaBytes,
  ).catch(() => undefined);
  if (text === undefined) return { problems: [] };
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return { value, problems: [] };
  } catch {
    // Reported below.
  }
  return { problems: [`${CONFIG_FILE}: is not a JSON object; it is left out`] };
}

/** Parts of a Vellum plugin that this engine does not run, by their directories and files. */
const OTHER_PARTS = ['skills', 'routes', 'schedules', 'jobs', 'channels', 'apps'] as const;
const OTHER_FILES = ['mcp.json', 'postinstall.ts'] as const;
const MAX_NOT_RUN = 100;

async function listNotRun(reader: DirectoryReader, root: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const part of OTHER_PARTS) {
    const real = await reader.realpathIn(root, part);
    if (real === undefined || !isInside(root, real)) continue;
    const names = (await reader.listDirectory(join(root, part))) ?? [];
    found.push(...names.filter((name) => !name.startsWith('.')).map((name) => `${part}/${name}`));
  }
  for (const file of OTHER_FILES) {
    if ((await reader.stat(join(root, file))) === 'file') found.push(file);
  }
  return found.toSorted().slice(0, MAX_NOT_RUN);
}

/** Files of `hooks/` that no host calls: Vellum has no hook of that name. Others may import them. */
function unknownHooks(surfaces: readonly Surface[]): readonly string[] {
  return surfaces.flatMap(({ kind, stem, file }) =>
    kind === 'hooks' && !isHookName(stem) ? [file] : [],
  );
}

function misspeltHooks(surfaces: readonly Surface[]): readonly string[] {
  return unknownHooks(surfaces).flatMap((file) => {
    const meant = didYouMean(basename(file).replace(/\.[jt]s$/, ''), HOOK_NAMES);
    return meant === undefined
      ? []
      : [`${file}: is not the name of a hook, so it never runs. Did you mean ${meant}?`];
  });
}

const { maxSurfaces } = VELLUM_LIMITS;

/**
 * The files of `tools/` and `hooks/`, by name: `.ts` and `.js`, but not `.d.ts`. If a `.js` and a
 * `.ts` have the same name, the `.js` counts.
 */
export async function listSurfaces(
  reader: DirectoryReader,
  root: string,
): Promise<{ readonly surfaces: readonly Surface[]; readonly problems: readonly string[] }> {
  const surfaces: Surface[] = [];
  const problems: string[] = [];
  for (const kind of ['tools', 'hooks'] as const) {
    const directory = join(root, kind);
    const real = await reader.realpathIn(root, kind);
    if (real === undefined) continue;
    if (!isInside(root, real)) {
      problems.push(`${kind}: is a link that leads out of the plugin; it is left out`);
      continue;
    }
    const names = (await reader.listDirectory(directory)) ?? [];
    for (const [stem, file] of chooseFiles(names)) {
      if ((await reader.stat(join(directory, file))) !== 'file') continue;
      if (surfaces.length < maxSurfaces) surfaces.push({ kind, stem, file: `${kind}/${file}` });
      else problems.push(`${kind}/${file}: is left out, because at most ${maxSurfaces} are read`);
    }
  }
  return { surfaces, problems: problems.slice(0, 50) };
}

function chooseFiles(names: readonly string[]): ReadonlyMap<string, string> {
  const chosen = new Map<string, string>();
  for (const name of names.toSorted()) {
    const stem = SURFACE.exec(name)?.[1];
    if (stem === undefined || name.endsWith('.d.ts')) continue;
    // `.js` sorts before `.ts`.
    if (!chosen.has(stem)) chosen.set(stem, name);
  }
  return chosen;
}

// oxlint-disable-next-line no-control-regex -- exactly these characters are what is refused
const SURFACE = /^([^.\u0000-\u001f\u007f\\][^\u0000-\u001f\u007f\\]*)\.(?:js|ts)$/u;

const META_FILE = 'install-meta.json';

/**
 * When a plugin was installed, in milliseconds since 1970: from the installer's file, else the
 * creation time of its directory. `undefined` if neither is known.
 */
async function readInstalledAt(reader: DirectoryReader, root: string): Promise<number | undefined> {
  const text = await readOwnFile(reader, root, META_FILE, VELLUM_LIMITS.maxInstallMetaBytes).catch(
    () => undefined,
  );
  return (text === undefined ? undefined : parseMeta(text)) ?? reader.birthtimeMs(root);
}

function parseMeta(text: string): number | undefined {
  try {
    const meta: unknown = JSON.parse(text);
    const at: unknown = isRecord(meta) ? meta['installedAt'] : undefined;
    const atMs = typeof at === 'string' ? Date.parse(at) : at;
    return typeof atMs === 'number' && Number.isFinite(atMs) ? atMs : undefined;
  } catch {
    return undefined;
  }
}
