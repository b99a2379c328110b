import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { canonicalJson } from '../../canonical.js';
import type { PermissionName, Permissions } from '../../permissions/kind.js';
import { makePermissions } from '../../permissions/permissions.js';
import { permissionNames, scopeTexts } from '../../permissions/table.js';
import { checkSchema, type JsonSchemaDocument } from '../../schema/check.js';
import {
  array,
  boolean,
  object,
  oneOf,
  optional,
  record,
  type Shape,
  string,
  wrong,
} from '../../schema/shape.js';
import type { Plugin } from '../plugin.js';
import { messageOf } from '../../errors.js';

/** A plugin's manifest as it was read: without its directory, its install time and its state. */
export type PluginModel = Omit<Plugin, 'directory' | 'installedAtMs' | 'disabled'>;

export function modelOf(plugin: Plugin): PluginModel {
  const { directory: _, installedAtMs: __, disabled: ___, ownFiles: ____, ...model } = plugin;
  return model;
}

/** The canonical JSON of a model. `readModel` reads it. */
export function writeModel(model: PluginModel): string {
  const { configSchema, ...plain } = model;
  // A checked schema has no JSON form of its own.
  const schema = configSchema === undefined ? {} : { configSchema: configSchema.schema };
  const json: Json = JSON.parse(JSON.stringify({ ...plain, ...schema }));
  return canonicalJson(json);
}

const text = string();
/** Names of a format and of its dialect. */
const systemName = string('a short name in lower case', (name) =>
  /^[a-z][a-z0-9-]{0,31}$/.test(name),
);
const pluginId = string('an id of 1 to 214 characters without ":"', (id) =>
  // oxlint-disable-next-line no-control-regex -- these characters are refused
  /^[^:\u0000-\u001f\u007f]{1,214}$/u.test(id),
);
const entryKey = string('a key of letters, digits, "_", "-" and "."', (key) =>
  /^\w[\w.-]{0,80}$/.test(key),
);

const permissions: Shape<Permissions> = {
  read: (value, at, problems) => {
    if (!isRecord(value)) return wrong('an object', value, at, problems);
    const scopes = new Map<PermissionName, readonly string[]>();
    for (const name of permissionNames) {
      const read = readScopes(name, value[name], `${at}.${name}`, problems);
      if (read === undefined) return undefined;
      scopes.set(name, read);
    }
    return { value: makePermissions((name) => scopes.get(name) ?? []) };
  },
};

function readScopes(
  name: PermissionName,
  value: unknown,
  at: string,
  problems: string[],
): readonly string[] | undefined {
  if (typeof value === 'boolean') return value ? ['true'] : [];
  const list = array(text).read(value, at, problems);
  if (list === undefined) return undefined;
  try {
    for (const scope of list.value) scopeTexts[name].normalise(scope);
    return list.value;
  } catch (error) {
    problems.push(`${at}: ${messageOf(error)}`);
    return undefined;
  }
}

const undeclared: Shape<true | readonly PermissionName[]> = {
  read: (value, at, problems) =>
    value === true
      ? { value }
      : array<PermissionName>(oneOf(...permissionNames)).read(value, at, problems),
};

const jsonObject: Shape<JsonObject> = {
  read: (value, at, problems) => {
    if (!isRecord(value)) return wrong('an object', value, at, problems);
    // The value comes from `JSON.parse`.
    const copy: JsonObject = JSON.parse(JSON.stringify(value));
    return { value: copy };
  },
};

const configSchema: Shape<JsonSchemaDocument> = {
  read: (value, at, problems) => {
    try {
      return { value: checkSchema(value, 'config') };
    } catch (error) {
      problems.push(`${at}: ${messageOf(error)}`);
      return undefined;
    }
  },
};

const entry = object(
  {
    key: entryKey,
    surface: oneOf('tools', 'agents', 'channels'),
    file: text,
    surfaces: optional(
      array(object({ kind: oneOf('tools', 'hooks'), stem: text, file: text }, 'refuse')),
    ),
    virtualModules: optional(array(text)),
    dialect: systemName,
    edition: optional(oneOf('classic', 'current')),
    confinement: oneOf('compartment', 'host'),
    declared: permissions,
    undeclared: optional(undeclared),
    requireApproval: boolean,
    pluginInfo: optional(jsonObject),
    agent: optional(object({ useTools: array(text), modelTools: array(text) }, 'refuse')),
  },
  'refuse',
);

/**
 * Reads a model from an artifact, which may come from a hostile author. A model cannot name an origin: only
 * the host decides which plugins are its own.
 */
export const readModel: Shape<PluginModel> = {
  read: (value, at, problems) => {
    const read = model.read(value, at, problems);
    if (read === undefined) return undefined;
    const { entries, format } = read.value;
    const keys = entries.map(({ key }) => key);
    if (new Set(keys).size < keys.length) {
      problems.push(`${at}.entries: two entries have the same key`);
    }
    // guard: artifact-dialect-of-format
    if (entries.some(({ dialect }) => dialect !== format)) {
      problems.push(`${at}.entries: an entry has the dialect of another format`);
    }
    const { version, description, ...rest } = read.value;
    return { value: { ...rest, version, description } };
  },
};

const model = object(
  {
    id: pluginId,
    format: systemName,
    manifest: text,
    name: text,
    version: optional(text),
    description: optional(text),
    about: record(text),
    entries: array(entry),
    environment: array(object({ name: text, required: boolean }, 'refuse')),
    config: array(
      object(
        {
          key: text,
          label: text,
          type: oneOf('text', 'number', 'password', 'enum'),
          required: boolean,
          description: optional(text),
          placeholder: optional(text),
          options: optional(array(object({ value: text, label: text }, 'refuse'))),
        },
        'refuse',
      ),
    ),
    configSchema: optional(configSchema),
    credentials: optional(array(text)),
    seeds: optional(
      array(object({ from: text, to: text, overwrite: boolean, required: boolean }, 'refuse')),
    ),
  },
  'refuse',
);
