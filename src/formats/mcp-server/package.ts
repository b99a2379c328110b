import { join } from 'node:path';
import { isRecord } from '../../../sandbox/wire/json.js';
import { messageOf } from '../../errors.js';
import { any, object, optional, type Shape } from '../../schema/shape.js';
import { permissionsShape } from '../manifest-permissions.js';
import type { EnvironmentNeed } from '../../plugin/plugin.js';
import type { DirectoryReader } from '../format.js';
import { readOwnFile } from '../plugin-files.js';
import { cutText, quoteText } from '../quote.js';

/** The part of a `package.json` that is ours. */
export const ownShape: Shape<unknown> = object({
  bulkhead: optional(
    object({
      permissions: optional(permissionsShape),
      source: optional(any),
      server: optional(any),
    }),
  ),
});

/** The manifest of a server's package. */
export const MANIFEST_FILE = 'package.json';

/** The description of a server for the registry of MCP. A package may ship it. */
export const SERVER_FILE = 'server.json';

/** Manifests are written by hand and take kilobytes. Stops a file that fills the host's memory. */
const MAX_MANIFEST_BYTES = 1024 * 1024;

/** The packages with which servers are written. */
const SDKS = [
  '@modelcontextprotocol/sdk',
  '@modelcontextprotocol/server',
  'fastmcp',
  'mcp-framework',
] as const;

const KEYWORDS: ReadonlySet<string> = new Set([
  'mcp',
  'mcp-server',
  'modelcontextprotocol',
  'model-context-protocol',
]);

type Fields = Readonly<Record<string, unknown>>;

/** Reads a JSON object of the plugin; `undefined` if the file is missing or is not one. */
export async function readJson(
  reader: DirectoryReader,
  root: string,
  file: string,
): Promise<{ readonly value?: Fields; readonly why?: string }> {
  try {
    const text = await readOwnFile(reader, root, file, MAX_MANIFEST_BYTES);
    if (text === undefined) return { why: 'is missing' };
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isRecord(value) ? { value } : { why: 'is not an object' };
  } catch (error) {
    return { why: `cannot be read: ${messageOf(error)}` };
  }
}

/**
 * The package of the server that a directory is for: with `"bulkhead": { "server": "@scope/name" }` one in
 * its `node_modules`, as `bulkhead add` writes it; otherwise itself. Relative to the directory.
 */
export function serverPackageOf(fields: Fields): string | undefined {
  const { bulkhead } = fields;
  const name = isRecord(bulkhead) ? bulkhead['server'] : undefined;
  if (typeof name !== 'string' || !PACKAGE_NAME.test(name)) return undefined;
  return `node_modules/${name}`;
}

const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** Whether the package is a server: it has a program, and says that it speaks MCP. */
export async function isServerPackage(
  reader: DirectoryReader,
  directory: string,
  fields: Fields,
): Promise<boolean> {
  // These are plugins of another system, which may have a program too.
  const peers = fields['peerDependencies'];
  if ('vellum' in fields || (isRecord(peers) && '@vellumai/plugin-api' in peers)) return false;
  if (serverPackageOf(fields) !== undefined) return true;
  if (programsOf(fields).size === 0) return false;
  if (typeof fields['mcpName'] === 'string') return true;
  const dependencies = [fields['dependencies'], fields['devDependencies']];
  if (dependencies.some((one) => isRecord(one) && SDKS.some((name) => name in one))) return true;
  const { keywords } = fields;
  if (
    Array.isArray(keywords) &&
    keywords.some((word) => KEYWORDS.has(String(word).toLowerCase()))
  ) {
    return true;
  }
  return (await reader.stat(join(directory, SERVER_FILE))) === 'file';
}

/** The programs of a package, by name. */
export function programsOf(fields: Fields): ReadonlyMap<string, string> {
  const { bin, name } = fields;
  if (typeof bin === 'string') return new Map([[unscoped(name), bin]]);
  if (!isRecord(bin)) return new Map();
  return new Map(
    Object.entries(bin).flatMap(([key, file]): [string, string][] =>
      typeof file === 'string' && file !== '' ? [[key, file]] : [],
    ),
  );
}

/** The program that `npx` would run: the only one, or the one with the package's name. */
export function chooseProgram(fields: Fields): {
  readonly file?: string;
  readonly problems: readonly string[];
} {
  const programs = programsOf(fields);
  const [first] = programs;
  if (first === undefined) return { problems: [] };
  const [, file] = first;
  if (new Set(programs.values()).size === 1) return { file, problems: [] };
  const own = programs.get(unscoped(fields['name']));
  const chosen = own ?? file;
  const others = [...programs.keys()].slice(0, 20).map(quoteText).join(', ');
  return {
    file: chosen,
    problems: [`bin: has several programs (${others}); ${quoteText(chosen)} is used`],
  };
}

function unscoped(name: unknown): string {
  return typeof name === 'string' ? name.replace(/^@[^/]*\//, '') : '';
}

/** The environment variables that `server.json` lists for the package on npm. */
export function variablesOf(server: Fields | undefined): readonly EnvironmentNeed[] {
  const packages: unknown = server?.['packages'];
  const needs = new Map<string, EnvironmentNeed>();
  for (const one of Array.isArray(packages) ? packages.slice(0, MAX_PACKAGES) : []) {
    const variables: unknown = isRecord(one) ? one['environmentVariables'] : undefined;
    for (const variable of Array.isArray(variables) ? variables.slice(0, MAX_VARIABLES) : []) {
      const { name, isRequired } = isRecord(variable) ? variable : {};
      if (typeof name !== 'string' || !VARIABLE.test(name)) continue;
      needs.set(name, { name, required: isRequired === true });
    }
  }
  return [...needs.values()];
}

const MAX_PACKAGES = 10;
const MAX_VARIABLES = 100;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

const ABOUT = ['author', 'homepage', 'license', 'mcpName'];

export function aboutOf(fields: Fields): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ABOUT.flatMap((key): [string, string][] => {
      const value = fields[key];
      return typeof value === 'string' && value !== '' ? [[key, cutText(value, 500)]] : [];
    }),
  );
}
