import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { DialectName } from '../../sandbox/wire/methods.js';
import type { JsonSchemaDocument } from '../schema/check.js';
import type { PermissionName, Permissions } from '../permissions/kind.js';

/** A plugin as read from disk, before any of its code runs. Every format is read into this type. */
export interface Plugin {
  /** The author's name for it; unique in an engine. May contain `@` and `/`, never `:`. */
  readonly id: string;
  readonly format: FormatName;
  /** Real path of its directory. */
  readonly directory: string;
  /** The manifest's file name, relative to `directory`. Authors declare permissions there. */
  readonly manifest: string;
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  /** Other metadata of the format (author, homepage, licence, icon …), for listings. */
  readonly about: Readonly<Record<string, string>>;
  readonly entries: readonly PluginEntry[];
  readonly environment: readonly EnvironmentNeed[];
  readonly config: readonly ConfigField[];
  /** The schema of the operator's configuration, if the plugin has one. */
  readonly configSchema?: JsonSchemaDocument;
  /** Keys of the credentials that it needs to start. */
  readonly credentials?: readonly string[];
  /** Who installed it, if not the operator: it came with the host or with the workspace. */
  readonly origin?: 'default' | 'workspace';
  /** Names of the host's own tools that it removes. */
  readonly removes?: readonly string[];
  /**
   * Whether its author says that no call depends on what an earlier one left in its memory. A hint for
   * the operator's `replicas`: it changes nothing that the engine does.
   */
  readonly stateless?: true;
  /** Files that it ships for its storage. */
  readonly seeds?: readonly SeedFile[];
  /** Installation time in milliseconds since 1970, from its installer or its directory. */
  readonly installedAtMs?: number;
  /** Configuration that it ships, under the operator's. */
  readonly configDefaults?: JsonObject;
  /**
   * Whether the files of its directory are those that were accepted. Absent: they are not pinned. Code never reads
   * hidden files among pinned ones, and none of files that changed.
   */
  readonly ownFiles?: 'accepted' | 'changed';
  /** What it ships and this engine does not run: `skills/plan`, `routes/hook.ts`. */
  readonly notRun?: readonly string[];
  /** The reason why it is disabled, if its own directory disables it. */
  readonly disabled?: string;
}

export interface SeedFile {
  /** Relative to the plugin's directory. */
  readonly from: string;
  /** Relative to its storage. */
  readonly to: string;
  /** Whether a changed seed replaces an existing file. */
  readonly overwrite: boolean;
  /** Whether the plugin fails to load without it. */
  readonly required: boolean;
}

/** The id that owns the workspace's tools. A plugin cannot have it. */
export const WORKSPACE = '(workspace)';

/** The name of a plugin system, a key of the table in `src/formats/table.ts`. */
export type FormatName = string;

/**
 * The version of Vellum's plugin API that a plugin was written for: the documented one (`classic`)
 * or its successor (`current`). They differ in the meaning of a hook's answer.
 */
export type Edition = 'classic' | 'current';

/** A file of an entry that is loaded separately when it is first needed. */
export interface Surface {
  readonly kind: 'tools' | 'hooks';
  /** Its file's name without extension: a tool's default name, a hook's key. */
  readonly stem: string;
  /** Relative to the plugin's directory. */
  readonly file: string;
}

/**
 * A module that is loaded as a unit: it has its own bundle, grant and guest. Most plugins have one.
 */
export interface PluginEntry {
  /** Unique in the plugin, stable across versions: `tools`, `tools.1`, `agents`. */
  readonly key: string;
  /** Channels are only listed; the engine does not run them. */
  readonly surface: 'tools' | 'agents' | 'channels';
  /** Relative to the plugin's directory: its module, or the file that declares its `surfaces`. */
  readonly file: string;
  /**
   * The files of an entry without a single module. They are bundled together and share imported
   * modules. Each is loaded when it is first needed.
   */
  readonly surfaces?: readonly Surface[];
  /** Specifiers of modules that its guest provides. */
  readonly virtualModules?: readonly string[];
  readonly dialect: DialectName;
  readonly edition?: Edition;
  /** `host` requests to run without a compartment, with the full power of a process. */
  readonly confinement: 'compartment' | 'host';
  /** Permissions that its author declared. */
  readonly declared: Permissions;
  /**
   * The kinds of permission that the manifest's format cannot declare (`true`: all of them). The
   * host's policy for this plugin is then the request.
   */
  readonly undeclared?: true | readonly PermissionName[];
  /** Whether its tools need approval by default. */
  readonly requireApproval: boolean;
  /** The plugin's own description for its code, e.g. Spindle's `spindle.manifest`. */
  readonly pluginInfo?: JsonObject;
  /** Only on agents: tools of other plugins and of the model that the agent wants to use. */
  readonly agent?: { readonly useTools: readonly string[]; readonly modelTools: readonly string[] };
}

/** An environment variable of the plugin. The plugin is inactive without its required ones. */
export interface EnvironmentNeed {
  readonly name: string;
  readonly required: boolean;
}

export interface ConfigField {
  readonly key: string;
  readonly label: string;
  readonly type: 'text' | 'number' | 'password' | 'enum';
  readonly required: boolean;
  readonly description?: string;
  readonly placeholder?: string;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

/** An entry with all its modules, as one text that runs in a compartment. */
export interface Bundle {
  /** One expression: `(function (…) { … })`, which evaluates the plugin's modules when called. */
  readonly code: string;
  /** sha512 over `code`, as `sha512-<base64>`. */
  readonly hash: string;
  /** The hash of the artifact that it was read from. Absent: it was built from a directory. */
  readonly artifact?: string;
  /** Source map (JSON) from `code` to the plugin's sources, by relative path. Guests do not get it. */
  readonly sourceMap: string;
  /** Global names that the code assigns to. */
  readonly assignedGlobals: readonly string[];
  /** Every bundled file, relative to the plugin's directory, with its size in bytes and its sha512. */
  readonly inputs: readonly {
    readonly path: string;
    readonly bytes: number;
    readonly hash: string;
  }[];
  /** The npm packages that the files belong to. */
  readonly packages: readonly BundledPackage[];
  readonly warnings: readonly string[];
  /** Surfaces that cannot be bundled. They throw the reason when loaded; the others still work. */
  readonly broken: readonly BrokenSurface[];
}

/**
 * The hash that approvals, rules, events and recordings name: of the accepted artifact, else of the code
 * itself.
 */
export function subjectHashOf({ artifact, hash }: Bundle): string {
  return artifact ?? hash;
}

/** An npm package in a bundle, as its package.json describes itself. */
export interface BundledPackage {
  readonly name: string;
  readonly version?: string;
  readonly license?: string;
  /** Its directory, relative to the plugin's. */
  readonly path: string;
}

export interface BrokenSurface {
  readonly file: string;
  readonly message: string;
}
