import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import type { Shape } from '../schema/shape.js';
import type { ErrorCode } from '../errors.js';
import type { Permissions } from '../permissions/kind.js';
import type { ToolAnswer } from '../plugin/answer.js';
import type { Artifact } from '../plugin/artifact/artifact.js';
import type { FormatName, Plugin, PluginEntry } from '../plugin/plugin.js';
import type {
  Contributions,
  Registrations,
  ToolAnnotations,
  ToolDefinition,
} from '../plugin/tool.js';

/** Reads untrusted directories, with only the operations that discovery and manifests need. */
export interface DirectoryReader {
  /**
   * The text of a regular file of at most `maxBytes` bytes; `undefined` if there is none. Rejects
   * for a larger file and for anything but a regular file, because a pipe would never end.
   */
  readFile(path: string, maxBytes: number): Promise<string | undefined>;
  /** Names in a directory, in any order; `undefined` if the directory does not exist. */
  listDirectory(path: string): Promise<readonly string[] | undefined>;
  /** The path without symbolic links; `undefined` if it does not exist. */
  realpath(path: string): Promise<string | undefined>;
  /** The real path of a name in a directory with a real path. Usually one system call. */
  realpathIn(directory: string, name: string): Promise<string | undefined>;
  /** The type of the entry after following links; `undefined` if it does not exist. */
  stat(path: string): Promise<'file' | 'directory' | 'other' | undefined>;
  /** The creation time in milliseconds since 1970; `undefined` if the file system has none. */
  birthtimeMs(path: string): Promise<number | undefined>;
}

/** One plugin system, as the host uses it. */
export interface Format {
  readonly name: FormatName;
  /** The usual name of its manifest. */
  readonly manifestFile: string;
  /** What the file has, for a name that other packages use too: a part of a sentence. */
  readonly manifestHas?: string;
  /** The manifest's keys that the format reads, to find misspelt ones. Default: none are found. */
  readonly manifestShape?: Pick<Shape<unknown>, 'findUnread'>;
  /** The place in the manifest for a request for permissions, as a part of a sentence. */
  readonly permissionsPlace: string;
  /** The keys that lead to the request of the tools in the manifest. */
  readonly permissionsPath: readonly string[];
  /**
   * The key of the manifest that lists the format's own permissions by name, as powers are called here. Default: powers
   * are requested as `powers`, like other permissions.
   */
  readonly powersKey?: string;
  /** The finding of `check` for a plugin without anything that runs. */
  describeEmpty?(plugin: Plugin): EmptyPlugin;
  /** How an author mends a failure that the system's own functions cause, by its message. */
  remedyFor?(message: string): string | undefined;
  /** What an author does about a plugin that does not say in time what it offers, as a sentence. */
  readonly slowStart?: string;
  /** Mistakes that show when everything is registered. Each begins with its tool, `tool "x": …`. */
  findMistakes?(contributions: Contributions): readonly string[];
  /** Whether the directory contains a plugin of this format, by the names of its files. */
  detect(reader: DirectoryReader, directory: string): Promise<boolean>;
  /** Reads the plugin in a real path. Throws `INVALID_MANIFEST` and `OUTSIDE_PLUGIN`. */
  read(reader: DirectoryReader, root: string): Promise<FoundPlugin>;
  /** Discovery refuses a link out of the directory of plugins. Default: it follows the link. */
  readonly refusesForeignLinks?: true;
  /** Plugins of this format are ordered by install time among themselves. Default: by path. */
  readonly sortsByInstallTime?: true;
  /**
   * Whether the plugin's tools are available, by the operator's configuration (`raw`) and the
   * variables that it requires. To require a variable grants no access to it.
   */
  decideActivation(
    plugin: Plugin,
    raw: unknown,
    variable: (name: string) => string | undefined,
  ): Activation;
  /** Reads a guest's answer to the request for its entry's contributions. Never throws. */
  readContributions(answer: unknown, context: ContributionContext): Contributions;
  /** Whether a tool needs approval. */
  requiresApproval(
    entry: Pick<PluginEntry, 'requireApproval'>,
    tool: Pick<ToolDefinition, 'id' | 'toolId'>,
    config: JsonObject | null,
  ): boolean;
  /**
   * Only the tools' `requireApproval` decides about approval. Risk bands are displayed. They count
   * only if the host chose a tolerance.
   */
  readonly approvalByFlagOnly?: true;
  /**
   * Entries register their contributions at run time and may change them. The engine reads them
   * again after each change, and starts an entry at once if it may run in the background.
   */
  readonly registersAtRunTime?: true;
  /**
   * Permissions that only let a plugin offer tools. It has those that it declares while it is inspected, so that
   * its tools are reviewed. Default: none.
   */
  readonly listingPowers?: readonly string[];
  /** What an entry lists at run time later than at its first start is withheld until the operator accepts it. */
  readonly pinsListings?: true;
  /**
   * Converts the caller's input and context into the values for the tool. Default: both unchanged.
   * Throws `INVALID_OPTIONS` for a context that the format's tools do not accept.
   */
  prepareCall?(call: CallPreparation): PreparedCall;
  /** Names of a tool in its own system, in addition to `plugin:tool`. */
  aliasesOf?(entry: Pick<PluginEntry, 'pluginInfo'>, toolId: string): readonly string[];
  /** Deadline in milliseconds of a call without one. Default: the tool's own timeout. */
  readonly defaultTimeoutMs?: number;
  /** Reads a tool's answer. Default: text unchanged, any other value as JSON. */
  readAnswer?(value: Json): ToolAnswer;
  /** Words a failed call for a model, as in the format's own system. Default: the message. */
  describeFault?(fault: ToolFault): string;
  /** Its manifest declares permissions itself. Absent: the `bulkhead` key of the manifest does. */
  readonly declaresPermissions?: true;
  /** Its plugins' code also runs while no tool is called. Default: false. */
  readonly actsUncalled?: true;
  /** Its plugins are programs, which may need processes and sockets. Default: false. */
  readonly arePrograms?: true;
  /** Packages that hosts provide to plugins, which name them as peer dependencies. Default: none. */
  readonly provides?: readonly string[];
  /**
   * Its tools are programs that call the tools named in `pluginInfo.tools`. Each call runs as a program of
   * the engine, in a guest of its own. Default: false.
   */
  readonly callsTools?: true;
  /** In its own system a tool's name does not include the plugin's. Default: false. */
  readonly bareNames?: true;
  /**
   * Reads a directory of the host's own tools and hooks as a plugin with the id `WORKSPACE`;
   * `undefined` if the directory does not exist. Only the host's format has it.
   */
  readWorkspace?(reader: DirectoryReader, directory: string): Promise<FoundPlugin | undefined>;
  /** Whether `random` includes cryptographic randomness, as in the guest's dialect. Default: true. */
  readonly hasCryptoRandom?: boolean;
  /** Objects of the system that plugin code uses, and the permissions that their members need. */
  readonly interfaces?: readonly PluginInterface[];
  /** The events that a plugin handles and gets only if it may run in the background. */
  backgroundEvents?(registrations: Registrations): readonly string[];
  /** The format's own listing of an installed plugin (Pandora: `/api/plugins`). */
  list(source: ListingSource): Readonly<Record<string, unknown>>;
  /** Whether a tool may run unattended. */
  runsInBackground(annotations: ToolAnnotations, needsApproval: boolean): boolean;
}

/** Why nothing of a plugin runs. */
export interface EmptyPlugin {
  readonly level: 'error' | 'note';
  readonly message: string;
  readonly fix?: string;
}

/** A global or a module that a plugin system gives to its plugins. */
export interface PluginInterface {
  readonly kind: 'global' | 'module';
  readonly name: string;
  /**
   * The permission that the use of a member needs; `undefined` if it needs none. `path` are the
   * keys after the global's name, or the name of the module's export.
   */
  needs(path: readonly string[]): InterfaceNeed | undefined;
  /** The power of the host that the use of a member asks for; `undefined` if it asks for none. */
  powerOf?(path: readonly string[]): PowerNeed | undefined;
  /** Members whose calls send a request to the URL of their first argument. */
  readonly requests?: readonly string[];
}

/** A power that a host lends, with the permission that it needs. */
export interface PowerNeed {
  readonly name: string;
  readonly permission: string;
}

export interface InterfaceNeed {
  readonly permission: 'storage' | 'powers';
  /** The name of the power, or `true`. */
  readonly scope: string;
}

export interface CallPreparation {
  readonly callId: string;
  readonly inputSchema: JsonObject;
  readonly input: Json;
  readonly context: JsonObject | undefined;
}

export interface PreparedCall {
  readonly input: Json;
  /** The host's own part, which needs the call's deadline in milliseconds since 1970. */
  readonly context: (deadlineAtMs: number) => Json;
}

export interface Activation {
  /** The configuration for the plugin; `null` if the plugin is not active. */
  readonly config: JsonObject | null;
  /** Why the plugin is not active, each reason with its fix. Empty if it is active. */
  readonly reasons: readonly string[];
  /** The reasons that are errors in its configuration. */
  readonly validationErrors: readonly string[];
  readonly environment: readonly VariableState[];
}

export interface VariableState {
  readonly name: string;
  readonly required: boolean;
  /** Whether it has a value. An empty value does not count. */
  readonly configured: boolean;
}

export interface ListingSource {
  readonly plugin: Plugin;
  readonly activation: Activation;
  /** The operator's configuration, even if the plugin is not active. */
  readonly config: JsonObject | undefined;
  /** The contributions of each entry, by its key; entries that were not read are absent. */
  readonly contributions: Readonly<Record<string, Contributions>>;
}

/** The cause of a failed call, before the format words it. */
export interface ToolFault {
  /** The tool's name within its plugin. */
  readonly tool: string;
  readonly code: ErrorCode;
  /** The name of the error that the tool threw, if it threw one. */
  readonly name?: string | undefined;
  readonly message: string;
  /** The deadline in milliseconds that passed. */
  readonly deadlineMs?: number | undefined;
}

export interface ContributionContext {
  readonly plugin: Pick<Plugin, 'id' | 'origin'>;
  readonly entry: PluginEntry;
  /** Whether its tools may run unconfined. Default: false. */
  readonly hostMode?: boolean;
  /** Its current permissions. */
  readonly granted: Permissions;
  /** Files of its surfaces that could not be bundled. These errors are already reported. */
  readonly broken?: readonly string[];
  /** The longest time in milliseconds that the host allows any tool. */
  readonly maxTimeoutMs: number;
}

export interface FoundPlugin {
  readonly plugin: Plugin;
  /** Parts that could not be read and were omitted, as `path: what is wrong`. */
  readonly problems: readonly string[];
  /** The accepted artifact. All code comes from it, and none from the files in the directory. */
  readonly artifact?: Artifact;
  /** Why the operator blocks it. */
  readonly withheld?: string;
  /** Why another version of it runs. */
  readonly pending?: string;
}
