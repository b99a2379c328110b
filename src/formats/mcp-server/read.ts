import { STREAMS_MODULE } from '../../../sandbox/wire/units.js';
import { basename, dirname, join } from 'node:path';
import { didYouMean } from '../../did-you-mean.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import { BulkheadError } from '../../errors.js';
import type { Permissions } from '../../permissions/kind.js';
import { NO_PERMISSIONS } from '../../permissions/permissions.js';
import type { EnvironmentNeed, PluginEntry } from '../../plugin/plugin.js';
import { readShape } from '../../schema/shape.js';
import type { DirectoryReader, FoundPlugin } from '../format.js';
import { permissionsShape, readManifestPermissions } from '../manifest-permissions.js';
import { readEntryPath } from '../plugin-files.js';
import { cutText } from '../quote.js';
import {
  aboutOf,
  chooseProgram,
  isServerPackage,
  MANIFEST_FILE,
  readJson,
  SERVER_FILE,
  serverPackageOf,
  variablesOf,
} from './package.js';

export async function detectServer(reader: DirectoryReader, directory: string): Promise<boolean> {
  if ((await reader.stat(join(directory, MANIFEST_FILE))) !== 'file') return false;
  const text = await reader
    .readFile(join(directory, MANIFEST_FILE), 1024 * 1024)
    .catch(() => undefined);
  if (text === undefined) return false;
  try {
    const fields: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isRecord(fields) && (await isServerPackage(reader, directory, fields));
  } catch {
    return false;
  }
}

/**
 * Reads the server in a directory: its `package.json`, and its `server.json` if it has one. Throws
 * `INVALID_MANIFEST` if there is no program, and `OUTSIDE_PLUGIN` if the program is outside.
 */
export async function readServer(reader: DirectoryReader, root: string): Promise<FoundPlugin> {
  const own = await readJson(reader, root, MANIFEST_FILE);
  if (own.value === undefined) throw invalid(root, MANIFEST_FILE, own.why ?? 'is missing');
  const below = serverPackageOf(own.value);
  const manifest = below === undefined ? MANIFEST_FILE : `${below}/${MANIFEST_FILE}`;
  const found = below === undefined ? own : await readJson(reader, root, manifest);
  if (found.value === undefined) throw invalid(root, manifest, found.why ?? 'is missing');
  const fields = found.value;
  const { name, version, description } = fields;
  if (typeof name !== 'string' || !ID.test(name)) {
    throw invalid(root, manifest, 'name: is missing, or is not a name of npm');
  }
  const { file, problems } = chooseProgram(fields);
  if (file === undefined) {
    throw invalid(
      root,
      manifest,
      'bin: is missing; a server is a program that speaks MCP on its standard streams',
    );
  }
  const program = readEntryPath(
    below === undefined ? file : `${below}/${file}`,
    `${manifest}: bin`,
  );
  const source = below === undefined ? sourceNamed(fields) : undefined;
  const isThere = async (at: string): Promise<boolean> =>
    (await reader.stat(join(root, at))) === 'file';
  const path = source !== undefined && (await isThere(source)) ? source : program;
  if (source !== undefined && path !== source && !(await isThere(program))) {
    const meant = await neighbour(reader, root, source);
    throw invalid(
      root,
      manifest,
      `bulkhead.source: there is no ${source}, and no compiled ${program}${meant === undefined ? '' : `. Did you mean ${meant}?`}`,
    );
  }
  const about = await readJson(
    reader,
    root,
    below === undefined ? SERVER_FILE : `${below}/${SERVER_FILE}`,
  );
  const environment = variablesOf(about.value);
  const declaration = readDeclaration(fields['bulkhead'], environment);
  return {
    plugin: {
      id: name,
      format: 'mcp-server',
      directory: root,
      manifest,
      name: titleOf(about.value) ?? name,
      version: typeof version === 'string' ? cutText(version, 100) : undefined,
      description: typeof description === 'string' ? cutText(description, 1_000) : undefined,
      about: aboutOf(fields),
      entries: [
        {
          key: 'server',
          surface: 'tools',
          file: manifest,
          surfaces: [{ kind: 'tools', stem: 'server', file: path }],
          virtualModules: [STREAMS_MODULE],
          dialect: 'mcp-server',
          confinement: 'compartment',
          ...declaration.entry,
          requireApproval: false,
          pluginInfo: { program: path },
        },
      ],
      environment,
      config: [],
    },
    problems: [...problems, ...declaration.problems],
  };
}

/**
 * The source from which `bin` is compiled, as `"bulkhead": { "source": "src/server.ts" }` names it: so nothing has to
 * be compiled while its author writes. A published package has `bin` alone.
 */
function sourceNamed({ bulkhead }: Readonly<Record<string, unknown>>): string | undefined {
  const written = isRecord(bulkhead) ? bulkhead['source'] : undefined;
  return typeof written === 'string'
    ? readEntryPath(written, `${MANIFEST_FILE}: bulkhead.source`)
    : undefined;
}

/** The file beside a missing one whose name is nearly the same. */
async function neighbour(
  reader: DirectoryReader,
  root: string,
  path: string,
): Promise<string | undefined> {
  const names = (await reader.listDirectory(join(root, dirname(path)))) ?? [];
  const meant = didYouMean(basename(path), names);
  return meant === undefined ? undefined : join(dirname(path), meant);
}

/** A name of npm, old ones included. */
const ID = /^(?:@[A-Za-z0-9._~-]{1,200}\/)?[A-Za-z0-9._~-]{1,200}$/;

function invalid(root: string, manifest: string, problem: string): BulkheadError {
  const file = join(root, manifest);
  return new BulkheadError(
    'INVALID_MANIFEST',
    `${file} is not the package of an MCP server: ${problem}${problem.endsWith('?') ? '' : '.'}`,
    { file, problems: [problem] },
  );
}

function titleOf(server: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const title = server?.['title'];
  return typeof title === 'string' && title !== '' ? cutText(title, 200) : undefined;
}

interface Declaration {
  readonly entry: Pick<PluginEntry, 'declared' | 'undeclared'>;
  readonly problems: readonly string[];
}

/**
 * Reads `"bulkhead": { "permissions": { … } }` of a package. MCP has no permissions. Without the key a
 * server requests what cannot affect anything else: time, random numbers, its own storage, its own files,
 * and the variables that its `server.json` lists.
 */
function readDeclaration(bulkhead: unknown, environment: readonly EnvironmentNeed[]): Declaration {
  const written = isRecord(bulkhead) ? bulkhead['permissions'] : undefined;
  if (written === undefined) {
    const env = environment.map(({ name }) => name);
    return { entry: { declared: { ...DEFAULT, env }, undeclared: true }, problems: [] };
  }
  const read = readShape(permissionsShape, written, AT);
  if (!read.ok) {
    return {
      entry: { declared: NO_PERMISSIONS },
      problems: read.problems.map((problem) => `${AT}.${problem}`),
    };
  }
  const { permissions, problems } = readManifestPermissions(read.value, AT);
  return { entry: { declared: permissions }, problems };
}

const AT = 'bulkhead.permissions';

const DEFAULT: Permissions = {
  ...NO_PERMISSIONS,
  time: true,
  random: true,
  storage: true,
  fs: ['.'],
};
