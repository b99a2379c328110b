import { isRecord } from '../../../sandbox/wire/json.js';
import {
  any,
  boolean,
  object,
  optional,
  type Shape,
  type ShapeResult,
} from '../../schema/shape.js';
import { permissionsShape } from '../manifest-permissions.js';
import { basename } from 'node:path';
import { SEMANTICS } from '../../plugin/hooks.js';
import type { Edition, Plugin } from '../../plugin/plugin.js';
import { quoteText } from '../quote.js';
import { isBulkheadError } from '../../errors.js';
import { checkSchema } from '../../schema/check.js';
import { parseJsonText } from '../../schema/json-text.js';

/** The manifest of a Vellum plugin. */
export const MANIFEST_FILE = 'package.json';

/** The package of types, constants and handles that plugins declare as a peer dependency. */
export const PLUGIN_API = '@vellumai/plugin-api';

/** The fields of a plugin's `package.json` that this format reads. */
export interface VellumPackage {
  /** As written, including the scope. */
  readonly name: string;
  readonly version: string;
  readonly displayName: string | undefined;
  readonly about: Readonly<Record<string, string>>;
  readonly description: string | undefined;
  readonly peers: Readonly<Record<string, unknown>>;
  /** The plugin API that its author builds it with, as written. */
  readonly builtWith: unknown;
  /** Whether it has the key `vellum`. */
  readonly declaresPlugin: boolean;
  /** The keys `config` and `requiresCredential`, in the package or in its key `vellum` or `bulkhead`. */
  readonly config: unknown;
  readonly requiresCredential: unknown;
  /** The key `bulkhead`, unchecked. */
  readonly bulkhead: unknown;
}

/** The part of a `package.json` that is ours. `schemas/package.schema.json` has the same rules for editors. */
export const extensionShape: Shape<unknown> = object({
  bulkhead: optional(
    object({
      permissions: optional(permissionsShape),
      config: optional(any),
      requiresCredential: optional(any),
      stateless: optional(boolean),
    }),
  ),
});

/** Reads a `package.json`. Only a name is required. */
export function parsePackage(text: string): ShapeResult<VellumPackage> {
  const data = parseJsonText(text);
  if (!data.ok) return { ok: false, problems: [data.problem] };
  const { value } = data;
  if (!isRecord(value)) return { ok: false, problems: ['is not an object'] };
  const name = textOf(value['name']);
  if (name === undefined) return { ok: false, problems: ['name: is missing'] };
  const peers = value['peerDependencies'];
  return {
    ok: true,
    value: {
      name,
      version: textOf(value['version']) ?? '0.0.0',
      displayName: textOf(value['displayName']),
      about: aboutOf(value),
      description: textOf(value['description']),
      peers: isRecord(peers) ? peers : {},
      builtWith: ['devDependencies', 'dependencies'].flatMap((key) => {
        const list = value[key];
        return isRecord(list) && Object.hasOwn(list, PLUGIN_API) ? [list[PLUGIN_API]] : [];
      })[0],
      declaresPlugin: Object.hasOwn(value, 'vellum'),
      config: readExtension(value, 'config'),
      requiresCredential: readExtension(value, 'requiresCredential'),
      bulkhead: value['bulkhead'],
    },
  };
}

/** At the top, npm has a key `config` of its own: only a value with a type or properties is a schema. */
function readExtension(value: Readonly<Record<string, unknown>>, key: string): unknown {
  for (const holder of [value['bulkhead'], value['vellum'], value]) {
    const found = isRecord(holder) ? holder[key] : undefined;
    if (found === undefined) continue;
    if (key !== 'config' || holder !== value) return found;
    if (isRecord(found) && ('type' in found || 'properties' in found)) return found;
  }
  return undefined;
}

const ABOUT = ['author', 'icon', 'homepage', 'license'];

function aboutOf(value: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ABOUT.flatMap((key) => {
      const text = textOf(value[key]);
      return text === undefined ? [] : [[key, text]];
    }),
  );
}

/** A text that is not only white space. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Names of plugins are parts of paths in Vellum, so only these characters are allowed. */
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * A plugin's id: its package's name without the scope. In the current edition, a valid name of its
 * directory comes first. `undefined` if neither name is valid.
 */
export function identityOf(
  packageName: string,
  root: string,
  edition: Edition,
): string | undefined {
  const unscoped = packageName.replace(/^@[^/]*\//, '');
  const names = edition === 'current' ? [basename(root), unscoped] : [unscoped];
  return names.find((name) => NAME.test(name) && name.length <= 200);
}

/** The versions of the plugin API that this host supports. */
const SUPPORTED = '>=0.8.0 <1.0.0-0';

/** The first version whose hooks differ from Vellum's documentation. */
const FIRST_CURRENT = '0.9.0';

/**
 * The plugin API of a package: `current` if its declared range excludes all versions before 0.9, if its
 * author builds it with such a version, or if it has a hook that the classic API reserves. Else `classic`.
 * A range that is missing, invalid or not satisfied by a supported version is a problem; the plugin still
 * runs. `hooks`: the names of its hooks.
 */
export async function readEdition(
  { peers, builtWith }: Pick<VellumPackage, 'peers' | 'builtWith'>,
  hooks: readonly string[],
): Promise<{
  readonly edition: Edition;
  readonly problems: readonly string[];
}> {
  const at = `peerDependencies[${JSON.stringify(PLUGIN_API)}]`;
  const range = peers[PLUGIN_API];
  // Loaded on first use, because the other systems need no ranges.
  const { intersects, minVersion, validRange } = await import('semver');
  const isCurrent = (written: unknown): boolean =>
    typeof written === 'string' &&
    validRange(written) !== null &&
    (minVersion(written)?.compare(FIRST_CURRENT) ?? -1) >= 0;
  const reserved: readonly string[] = SEMANTICS.classic.reserved;
  const edition: Edition =
    isCurrent(range) || isCurrent(builtWith) || hooks.some((hook) => reserved.includes(hook))
      ? 'current'
      : 'classic';
  const problems = ((): string[] => {
    if (range === undefined) return [`${at}: is missing; write "^0.8.0"`];
    if (typeof range !== 'string' || validRange(range) === null) {
      const shown = typeof range === 'string' ? quoteText(range) : 'the value';
      return [`${at}: ${shown} is not a range of versions; write one like "^0.8.0"`];
    }
    if (intersects(range, SUPPORTED, { includePrerelease: true })) return [];
    return [`${at}: ${quoteText(range)} admits no version that runs here (${SUPPORTED})`];
  })();
  return { edition, problems };
}

/** The permission to read credentials. */
export const CREDENTIALS = 'credentials';

export interface Needs {
  readonly plugin: Pick<Plugin, 'configSchema' | 'credentials'>;
  readonly problems: readonly string[];
}

/**
 * Reads the plugin's requirements: `config`, a JSON Schema, and `requiresCredential`, keys of
 * secrets. An invalid value is a problem, and then the plugin requires nothing.
 */
export function readNeeds({ config, requiresCredential }: VellumPackage): Needs {
  const problems: string[] = [];
  const configSchema = config === undefined ? undefined : readSchema(config, problems);
  const credentials = readKeys(requiresCredential, problems);
  return {
    plugin: {
      ...(configSchema === undefined ? {} : { configSchema }),
      ...(credentials.length === 0 ? {} : { credentials }),
    },
    problems,
  };
}

function readSchema(config: unknown, problems: string[]): Plugin['configSchema'] {
  try {
    return checkSchema(config, 'config');
  } catch (error) {
    if (!isBulkheadError(error)) throw error;
    problems.push(`config: is not a usable schema: ${error.message}`);
    return undefined;
  }
}

const KEY = /^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}$/;
const MAX_KEYS = 32;

function readKeys(written: unknown, problems: string[]): readonly string[] {
  if (written === undefined) return [];
  const list: readonly unknown[] = Array.isArray(written) ? written : [written];
  const keys = list.slice(0, MAX_KEYS).flatMap((key) => {
    if (typeof key === 'string' && KEY.test(key)) return [key];
    const shown = typeof key === 'string' ? quoteText(key) : 'an item that is not a text';
    problems.push(`requiresCredential: ${shown} is not a key; write one like "api_key"`);
    return [];
  });
  return [...new Set(keys)];
}
