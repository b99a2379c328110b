import type { PackageGrant } from '../../sandbox/wire/methods.js';
import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { Tolerance } from '../approval/policy.js';
import { BulkheadError } from '../errors.js';
import { whichKind } from '../permissions/kind-names.js';
import { auditShape, type ConfiguredAudit } from './configured-audit.js';
import { type ConfiguredFleet, fleetShape } from './configured-fleet.js';
import { MIN_TOKEN_CHARACTERS } from './credentials.js';
import type { Permissions } from '../permissions/kind.js';
import type { RemoteOptions } from '../remotes/remote.js';
import { remote } from '../remotes/remote-shape.js';
import {
  array,
  boolean,
  either,
  jsonObject,
  number,
  object,
  oneOf,
  optional,
  readShape,
  record,
  type Shape,
  string,
  wholeNumber,
  wrong,
} from '../schema/shape.js';

/**
 * `bulkhead.config.json`: the configuration of a server, beside its command line.
 * `bulkhead.config.schema.json` describes it for editors; a test compares the two.
 */
export interface ConfigFile {
  readonly $schema?: string;
  /** Directories of plugins, relative to the file. */
  readonly plugins?: readonly string[];
  /** For all plugins, or by plugin id. Default: `declared` for plugins named on the command line. */
  readonly grant?: GrantWord | Readonly<Record<string, GrantWord | GrantedScopes>>;
  /** The plugins' own configurations, by plugin id. */
  readonly config?: Readonly<Record<string, JsonObject>>;
  /** The sources of credentials, by `plugin/key`: `env:NAME`, or `@FILE` relative to this file. */
  readonly credentials?: Readonly<Record<string, string>>;
  readonly hostMode?: readonly string[];
  readonly background?: readonly string[];
  /** Tools whose calls may run a second time, by name. */
  readonly idempotent?: readonly string[];
  /** Tools whose calls are recorded in memory, by name, so that the console can replay them. */
  readonly record?: readonly string[];
  /** Most guests of a plugin, by plugin id. */
  readonly replicas?: Readonly<Record<string, { readonly max: number }>>;
  /** What shares a guest, by plugin id. Each account is a tenant. */
  readonly isolation?: Readonly<Record<string, 'plugin' | 'tenant' | 'call'>>;
  /** Plugins that share a process, by the group's name. */
  readonly trustGroups?: Readonly<Record<string, readonly string[]>>;
  /** The builds that npm packages in plugins use, by plugin id and package name. */
  readonly packageBuilds?: Readonly<Record<string, Readonly<Record<string, 'node' | 'browser'>>>>;
  /** How the npm packages of plugins run, by plugin id; `*` for plugins that are not named. */
  readonly packages?: Readonly<Record<string, 'separate' | 'together' | ConfiguredPackages>>;
  readonly overrides?: readonly { readonly host: string; readonly url: string }[];
  /** The local time zone of plugins with `time`, e.g. `Europe/Berlin`. Default: the host's. */
  readonly timeZone?: string;
  /** The risk up to which calls run without approval. */
  readonly tolerance?: Tolerance;
  /** Ids of plugins and servers whose hints may lower the risk of their tools. */
  readonly trustHints?: readonly string[];
  /** The file of rules, relative to this file. */
  readonly rules?: string;
  /** The lock file, relative to this file. */
  readonly lockFile?: string;
  /** The runners of the plugins: see docs/fleet.md. The paths of its files are relative to this file. */
  readonly fleet?: ConfiguredFleet;
  /** The audit log. Its paths are relative to this file. */
  readonly audit?: ConfiguredAudit;
  /** The directory of plugins' files and of servers' pins, relative to this file. */
  readonly storageDirectory?: string;
  /** The engine's limits. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Remote tool servers. `${NAME}` in a header or variable is an environment variable of the host. */
  readonly remotes?: readonly RemoteOptions[];
  /** The host's identity for servers that require a token. */
  readonly identity?: {
    /** Default: this server's URL, below which its keys are served. */
    readonly issuer?: string;
    /** A file with a private key (EC, P-256) as JWK. Default: a new key at each start. */
    readonly keyFile?: string;
    readonly subject?: string;
    readonly account?: { readonly id: string; readonly name: string };
  };
  readonly server?: {
    readonly host?: string;
    readonly port?: number;
    readonly publicUrl?: string;
    /** The token of MCP clients. */
    readonly token?: string;
    /** The token to read plugins, approvals and metrics. */
    readonly viewToken?: string;
    /** The token to answer approvals. */
    readonly answerToken?: string;
    /** The token to switch plugins in the console. */
    readonly adminToken?: string;
    /** Whether callers on loopback need no token to call and view. Default: false. */
    readonly openLoopback?: boolean;
    readonly limits?: Readonly<Record<string, number>>;
  };
  /** Webhooks that hear of each question that waits for a person: the URL, and the variable of the key. */
  readonly notices?: readonly { readonly url: string; readonly secret: string }[];
  /** The last calls that the console keeps in memory. Default: 1,000 calls, 64 MiB, 24 hours. */
  readonly recent?: { readonly calls?: number; readonly bytes?: number; readonly hours?: number };
  readonly vertesia?: {
    readonly path?: string;
    readonly title?: string;
    readonly description?: string;
    readonly tools?: readonly string[];
    readonly details?: boolean;
  };
  readonly mcp?: {
    readonly path?: string;
    readonly tools?: readonly string[];
    readonly instructions?: string;
    readonly stateKey?: string;
  };
  readonly tokens?: {
    readonly issuers?: readonly { readonly issuer: string; readonly jwks?: string }[];
    readonly audience?: readonly string[];
    readonly organizations?: readonly string[];
  };
}

/** What each package may use, by its directory in the plugin. */
export interface ConfiguredPackages {
  readonly grant?: Readonly<Record<string, PackageGrant>>;
  /** Packages that run as part of the plugin's own code. */
  readonly together?: readonly string[];
}

export type GrantWord = 'declared' | 'nothing';

/** The most that a plugin receives of the permissions it declares. */
export type GrantedScopes = Partial<
  Pick<Permissions, 'time' | 'random' | 'storage' | 'network' | 'env' | 'fs' | 'powers'>
> & {
  /** The permissions add to what the plugin declares. Default: they limit it. */
  readonly declared?: true;
};

/** Reads a configuration's text. Throws `INVALID_OPTIONS` with every problem in it. */
export function parseConfig(text: string, file: string): ConfigFile {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw invalid(file, [`is not JSON: ${error instanceof Error ? error.message : ''}`]);
  }
  const read = readShape(shape, data, 'configuration');
  if (!read.ok) throw invalid(file, read.problems);
  return read.value;
}

/** The message does not repeat the value. */
const token: Shape<string> = {
  read: (value, at, problems) => {
    if (typeof value === 'string' && value.length >= MIN_TOKEN_CHARACTERS) return { value };
    problems.push(`${at}: must be a string of at least ${MIN_TOKEN_CHARACTERS} characters`);
    return undefined;
  },
};
const path: Shape<string> = string('a path, e.g. "/tools"', (text) => /^\/[\w\-./]*$/.test(text));
/** The message does not repeat the value: it may be the credential itself. */
const credentialSource: Shape<string> = {
  read: (value, at, problems) => {
    if (typeof value === 'string' && /^(?:env:\w+|@.+)$/s.test(value)) return { value };
    problems.push(`${at}: must be "env:NAME" or "@FILE"`);
    return undefined;
  },
};
/** The message does not repeat the value: it may be the key itself. */
const variable: Shape<string> = {
  read: (value, at, problems) => {
    if (typeof value === 'string' && /^env:\w+$/.test(value)) return { value };
    problems.push(`${at}: must be "env:NAME"`);
    return undefined;
  },
};
const texts: Shape<readonly string[]> = array(string());

const identity: Shape<NonNullable<ConfigFile['identity']>> = object(
  {
    issuer: optional(string()),
    keyFile: optional(string()),
    subject: optional(string()),
    account: optional(object({ id: string(), name: string() }, 'refuse')),
  },
  'refuse',
);

const always: Shape<true> = {
  read: (value, at, problems) => (value === true ? { value } : wrong('true', value, at, problems)),
};
const permissions: Shape<GrantedScopes> = object(
  {
    declared: optional(always),
    time: optional(boolean),
    random: optional(boolean),
    storage: optional(boolean),
    network: optional(texts),
    env: optional(texts),
    fs: optional(texts),
    powers: optional(texts),
  },
  'refuse',
  whichKind,
);

const packageGrant: Shape<PackageGrant> = object(
  {
    time: optional(boolean),
    random: optional(boolean),
    network: optional(either(boolean, texts)),
    fs: optional(boolean),
    storage: optional(boolean),
    powers: optional(boolean),
    env: optional(texts),
    imports: optional(texts),
  },
  'refuse',
);
const packagesOfOne: Shape<'separate' | 'together' | ConfiguredPackages> = either(
  oneOf('separate', 'together'),
  object({ grant: optional(record(packageGrant)), together: optional(texts) }, 'refuse'),
);

const grantWord: Shape<GrantWord> = oneOf('declared', 'nothing');
const grantOfOne: Shape<GrantWord | GrantedScopes> = either(grantWord, permissions);

const shape: Shape<ConfigFile> = object(
  {
    $schema: optional(string()),
    plugins: optional(texts),
    grant: optional(either(grantWord, record(grantOfOne))),
    config: optional(record(jsonObject)),
    credentials: optional(record(credentialSource)),
    hostMode: optional(texts),
    background: optional(texts),
    idempotent: optional(texts),
    record: optional(texts),
    replicas: optional(record(object({ max: number }, 'refuse'))),
    isolation: optional(record(oneOf('plugin', 'tenant', 'call'))),
    trustGroups: optional(record(texts)),
    packageBuilds: optional(record(record(oneOf('node', 'browser')))),
    packages: optional(record(packagesOfOne)),
    overrides: optional(array(object({ host: string(), url: string() }, 'refuse'))),
    timeZone: optional(string()),
    tolerance: optional(oneOf('strict', 'default', 'relaxed', 'full')),
    trustHints: optional(texts),
    rules: optional(string()),
    lockFile: optional(string()),
    fleet: optional(fleetShape),
    audit: optional(auditShape),
    storageDirectory: optional(string()),
    limits: optional(record(number)),
    remotes: optional(array(remote)),
    identity: optional(identity),
    server: optional(
      object(
        {
          host: optional(string()),
          port: optional(number),
          publicUrl: optional(string()),
          token: optional(token),
          viewToken: optional(token),
          answerToken: optional(token),
          adminToken: optional(token),
          openLoopback: optional(boolean),
          limits: optional(record(number)),
        },
        'refuse',
      ),
    ),
    notices: optional(array(object({ url: string(), secret: variable }, 'refuse'))),
    recent: optional(
      object(
        {
          calls: optional(wholeNumber),
          bytes: optional(wholeNumber),
          hours: optional(wholeNumber),
        },
        'refuse',
      ),
    ),
    vertesia: optional(
      object(
        {
          path: optional(path),
          title: optional(string()),
          description: optional(string()),
          tools: optional(texts),
          details: optional(boolean),
        },
        'refuse',
      ),
    ),
    mcp: optional(
      object(
        {
          path: optional(path),
          tools: optional(texts),
          instructions: optional(string()),
          stateKey: optional(
            string('a string of at least 32 characters', (text) => text.length >= 32),
          ),
        },
        'refuse',
      ),
    ),
    tokens: optional(
      object(
        {
          issuers: optional(
            array(object({ issuer: string(), jwks: optional(string()) }, 'refuse')),
          ),
          audience: optional(texts),
          organizations: optional(texts),
        },
        'refuse',
      ),
    ),
  },
  'refuse',
);

function invalid(file: string, problems: readonly string[]): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `${file} is not a valid configuration: ${problems.join('; ')}.`,
    {
      option: '--config',
    },
  );
}
