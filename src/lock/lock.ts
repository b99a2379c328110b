import { isRecord } from '../../sandbox/wire/json.js';
import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { FormatName } from '../plugin/plugin.js';
import type { RiskBand } from '../plugin/risk.js';
import {
  type Shape,
  type ShapeResult,
  array,
  literalTrue,
  object,
  oneOf,
  optional,
  readShape,
  record,
  string,
  wrong,
} from '../schema/shape.js';
import { type CompactPermissions, compactShape } from './compact.js';
import { type LockedPackages, packagesShape, writtenPackages } from './locked-packages.js';
import { isArtifactHash, isKeyId } from './trust.js';

/**
 * What the operator accepted: which plugins run, with which code and permissions. Small and sorted,
 * so that it can be reviewed and committed with the host's sources.
 */
export interface Lock {
  readonly version: 2;
  /** By the plugin's id, sorted. */
  readonly plugins: Readonly<Record<string, LockedPlugin>>;
  /** The reviewed tools of remote servers, by the server's id, sorted. */
  readonly remotes?: Readonly<Record<string, LockedRemote>>;
}

/** The reviewed tools of a remote server. */
export interface LockedRemote {
  /** By tool. */
  readonly tools: Readonly<Record<string, LockedRemoteTool>>;
}

export interface LockedRemoteTool {
  /** sha512 of the whole definition. */
  readonly hash: string;
  /** The description that models receive. */
  readonly description: string;
  /** The JSON Schema of its input. Inputs are validated against it. */
  readonly inputSchema: JsonObject;
}

export interface LockedPlugin extends Pin {
  readonly format: FormatName;
  /** Its directory, relative to the lock file's, with `/` between segments. */
  readonly source: string;
  /** The plugin does not run. Default: it runs. */
  readonly disabled?: true;
  /** Previously accepted versions, newest first, for a rollback. */
  readonly previous?: readonly PreviousPin[];
}

/** A version that was accepted before, with its directory if that was another one. */
export interface PreviousPin extends Pin {
  readonly source?: string;
}

/** One accepted version of a plugin. */
export interface Pin {
  readonly version?: string;
  /** Hashes of its builds, by entry; `tools:host` is the build of `tools` that runs without a compartment. */
  readonly bundles: Readonly<Record<string, string>>;
  /** The hash of the artifact, `sha512-<base64>`. Only code of this artifact runs. */
  readonly artifact: string;
  /**
   * The hash of the files in its directory, which it may read: `hashFileTree`. Absent: they are not pinned, as for
   * plugins that name the files that they read.
   */
  readonly files?: string;
  /** The key that signed the artifact. The signature is verified at each load. Default: not signed. */
  readonly signer?: Signer;
  /** The granted permissions. The plugin gets only these, whatever it declares. */
  readonly granted: CompactPermissions;
  /** The declared permissions, if they differ from the granted ones. */
  readonly declared?: CompactPermissions;
  /** The operator trusts the author's hints, which may lower the risk of the tools. */
  readonly trustHints?: true;
  /** The plugin may run without a compartment, with all rights of the host's user. */
  readonly unconfined?: true;
  /**
   * The npm packages in the plugin, each of which runs in a compartment of its own. Absent: they run as one bundle
   * with the plugin's own code, with all that it may do.
   */
  readonly packages?: LockedPackages;
  /** The tools, by id, as the plugin described them. */
  readonly tools: Readonly<Record<string, LockedTool>>;
  /** Hosts that the code names. */
  readonly hosts: readonly string[];
  /** Who accepted this version. */
  readonly by: string;
  /** The time of the acceptance, in ISO 8601. */
  readonly at: string;
}

/** An accepted signing key. */
export interface Signer {
  /** `ed25519-…` */
  readonly id: string;
  /** The public key (SPKI), as base64. */
  readonly publicKey: string;
}

export interface LockedTool {
  readonly risk: RiskBand;
  /** The manifest requires approval. */
  readonly requiresApproval?: true;
  /** The first 16 hex characters of the sha256 of the description that models receive. */
  readonly description: string;
  /** The same of the input's JSON Schema. */
  readonly schema: string;
  /** The same of the author's hints and the other fields that decide how the tool is used. */
  readonly hints: string;
}

/** Previous versions that the lock file retains. */
export const MAX_PREVIOUS = 5;

/** Reads the text of a lock file. Rejects the whole file if a part is not valid. */
export function parseLock(text: string): ShapeResult<Lock> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : String(error);
    return { ok: false, problems: [`lock: is not JSON: ${why}`] };
  }
  if (isOldLock(data)) return { ok: false, problems: [OLD_VERSION] };
  return readShape(lockShape, data, 'lock');
}

/** Version 1, or an early version 2, which named no artifacts. */
function isOldLock(data: unknown): boolean {
  if (!isRecord(data)) return false;
  const { version, plugins } = data;
  return (
    version === 1 ||
    (isRecord(plugins) &&
      Object.values(plugins).some(
        (one) => isRecord(one) && 'stored' in one && !('artifact' in one),
      ))
  );
}

const OLD_VERSION =
  'lock: is of an old version that names no artifacts. Move the file away, and run `bulkhead add DIRECTORY` for each plugin again';

/** The text of a lock file: sorted, so that merges of two additions seldom conflict. */
export function formatLock(lock: Lock): string {
  const plugins = sorted(lock.plugins, (plugin) => {
    const { format, source, disabled, previous, ...pin } = plugin;
    return {
      format,
      source,
      ...(disabled === undefined ? {} : { disabled }),
      ...writtenPin(pin),
      ...(previous === undefined || previous.length === 0
        ? {}
        : { previous: previous.map(writtenPrevious) }),
    };
  });
  const { remotes = {} } = lock;
  const pinned = sorted(remotes, ({ tools }) => ({
    tools: sorted(tools, ({ hash, description, inputSchema }) => ({
      hash,
      description,
      inputSchema,
    })),
  }));
  return `${JSON.stringify(
    { version: 2, plugins, ...(Object.keys(pinned).length === 0 ? {} : { remotes: pinned }) },
    undefined,
    2,
  )}\n`;
}

function writtenPin(pin: Pin): Pin {
  return {
    ...(pin.version === undefined ? {} : { version: pin.version }),
    granted: pin.granted,
    ...(pin.declared === undefined ? {} : { declared: pin.declared }),
    ...(pin.trustHints === undefined ? {} : { trustHints: pin.trustHints }),
    ...(pin.unconfined === undefined ? {} : { unconfined: pin.unconfined }),
    ...(pin.packages === undefined ? {} : { packages: writtenPackages(pin.packages) }),
    hosts: pin.hosts.toSorted(),
    tools: sorted(pin.tools, (tool) => tool),
    bundles: sorted(pin.bundles, (hash) => hash),
    artifact: pin.artifact,
    ...(pin.files === undefined ? {} : { files: pin.files }),
    ...(pin.signer === undefined ? {} : { signer: pin.signer }),
    by: pin.by,
    at: pin.at,
  };
}

function writtenPrevious({ source, ...pin }: PreviousPin): PreviousPin {
  return { ...(source === undefined ? {} : { source }), ...writtenPin(pin) };
}

function sorted<From, To>(
  of: Readonly<Record<string, From>>,
  write: (value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(
    Object.entries(of)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, write(value)]),
  );
}

const time = string('a time in ISO 8601', (text) => !Number.isNaN(Date.parse(text)));
const hash = string('sha512- and 88 characters of base64', isArtifactHash);
const signer: Shape<Signer> = object(
  { id: string('the id of a key', isKeyId), publicKey: string() },
  'refuse',
);
const jsonObject: Shape<JsonObject> = {
  read: (value, at, problems) => {
    if (!isRecord(value)) return wrong('an object', value, at, problems);
    // The value comes from `JSON.parse`.
    const copy: JsonObject = JSON.parse(JSON.stringify(value));
    return { value: copy };
  },
};

const toolShape: Shape<LockedTool> = object(
  {
    risk: oneOf('low', 'medium', 'high'),
    requiresApproval: optional(literalTrue),
    description: string(),
    schema: string(),
    hints: string(),
  },
  'refuse',
);

const pinFields = {
  version: optional(string()),
  bundles: record(string()),
  artifact: hash,
  files: optional(hash),
  signer: optional(signer),
  granted: compactShape,
  declared: optional(compactShape),
  trustHints: optional(literalTrue),
  unconfined: optional(literalTrue),
  packages: optional(packagesShape),
  tools: record(toolShape),
  hosts: array(string()),
  by: string(),
  at: time,
};

const previousShape: Shape<PreviousPin> = object(
  { ...pinFields, source: optional(string('a path', (text) => text !== '')) },
  'refuse',
);

const pluginShape: Shape<LockedPlugin> = object(
  {
    ...pinFields,
    format: string('the name of a plugin system', (text) => /^[a-z][a-z0-9-]{0,31}$/.test(text)),
    source: string('a path', (text) => text !== ''),
    disabled: optional(literalTrue),
    previous: optional(array(previousShape)),
  },
  'refuse',
);

const remoteShape: Shape<LockedRemote> = object(
  {
    tools: record(object({ hash, description: string(), inputSchema: jsonObject }, 'refuse')),
  },
  'refuse',
);

const lockShape: Shape<Lock> = object(
  { version: oneOf(2), plugins: record(pluginShape), remotes: optional(record(remoteShape)) },
  'refuse',
);
