import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { DialectName } from '../../sandbox/wire/methods.js';
import type { JsonSchemaDocument } from '../schema/check.js';
import type { PermissionName, Permissions } from '../permissions/kind.js';

/** The one model that every format is read into: what is on disk, before any of it has run. */
export interface Plugin {
  /** As its author named it; unique in an engine. May hold `@` and `/`, never `:`. */
  readonly id: string;
  readonly format: FormatName;
  /** Real path of its directory. */
  readonly directory: string;
  /** The manifest's file name, relative to `directory`: where an author edits permissions. */
  readonly manifest: string;
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  /** Further identity a format knows (author, homepage, licence, icon …), for listings. */
  readonly about: Readonly<Record<string, string>>;
  readonly entries: readonly PluginEntry[];
  readonly environment: readonly EnvironmentNeed[];
  readonly config: readonly ConfigField[];
  /** What the operator's configuration has to fit, where the plugin says it as a schema. */
  readonly configSchema?: JsonSchemaDocument;
  /** Keys of credentials that it says it needs: without all of them it does not begin. */
  readonly credentials?: readonly string[];
  /** Who put it there, where that was not whoever installs plugins. */
  readonly origin?: 'default' | 'workspace';
  /** Names of the host's own tools that it takes away. */
  readonly removes?: readonly string[];
  /** Files that it brings along for its storage. */
  readonly seeds?: readonly SeedFile[];
  /** When it was installed, in milliseconds since 1970, by its installer or by its directory. */
  readonly installedAtMs?: number;
  /** Why its own directory says that it is not to run. */
  readonly disabled?: string;
}

export interface SeedFile {
  /** Relative to the plugin's directory. */
  readonly from: string;
  /** Relative to its storage. */
  readonly to: string;
  /** Whether a file that is there is replaced, when the seed has changed. */
  readonly overwrite: boolean;
  /** Whether the plugin cannot be without it. */
  readonly required: boolean;
}

export type FormatName = 'pandora' | 'spindle' | 'vellum';

/**
 * Which of Vellum's two plugin APIs a plugin was written for: the one that its documents describe
 * (`classic`), or the one that came after it. They differ in what a hook's answer means.
 */
export type Edition = 'classic' | 'current';

/** A file of an entry that is loaded by itself, when it is first needed. */
export interface Surface {
  readonly kind: 'tools' | 'hooks';
  /** Its file's name without extension: a tool's default name, a hook's key. */
  readonly stem: string;
  /** Relative to the plugin's directory. */
  readonly file: string;
}

/**
 * One module that is loaded as a unit: a bundle, a grant, and when it runs a guest of its own.
 * Most plugins have one.
 */
export interface PluginEntry {
  /** Unique in the plugin, stable across versions: `tools`, `tools.1`, `agents`. */
  readonly key: string;
  /** Channels are read so that they can be listed; nothing here runs them. */
  readonly surface: 'tools' | 'agents' | 'channels';
  /** Relative to the plugin's directory: its module, or what declares its `surfaces`. */
  readonly file: string;
  /**
   * Where an entry has no one module: the files that it is made of. They are bundled together, so
   * that they share the modules that they import, and each is loaded when it is first needed.
   */
  readonly surfaces?: readonly Surface[];
  /** Specifiers that its guest provides. */
  readonly virtualModules?: readonly string[];
  readonly dialect: DialectName;
  readonly edition?: Edition;
  /** `host`: asks to run without a compartment, with the full power of a process. */
  readonly confinement: 'compartment' | 'host';
  /** What its author declared. */
  readonly declared: Permissions;
  /**
   * The kinds of permission that its author said nothing of, as some systems have no place for them
   * (`true`: all of them): what it asks for is then what the host's policy says of this very plugin.
   */
  readonly undeclared?: true | readonly PermissionName[];
  /** Whether its tools ask before they run, where nothing more specific says otherwise. */
  readonly requireApproval: boolean;
  /** What the dialect tells the plugin's code of itself, e.g. Spindle's `spindle.manifest`. */
  readonly introduction?: JsonObject;
  /** Only on agents: other plugins' tools, and the model's own, that the agent wants to use. */
  readonly agent?: { readonly useTools: readonly string[]; readonly modelTools: readonly string[] };
}

/** A variable without which the plugin is not active (unless it is optional). */
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

/** A bundle: everything an entry needs, as one text that runs in a compartment. */
export interface Bundle {
  /** One expression: `(function (…) { … })`, which evaluates the plugin's modules when called. */
  readonly code: string;
  /** sha512 over `code`, as `sha512-<base64>`. */
  readonly hash: string;
  /** Source map (JSON) from `code` to the plugin's sources, by relative path. Stays on the host's side. */
  readonly sourceMap: string;
  /** Global names that the code assigns to. */
  readonly assignedGlobals: readonly string[];
  /** Every file that went in, relative to the plugin's directory, with its size in bytes. */
  readonly inputs: readonly { readonly path: string; readonly bytes: number }[];
  readonly warnings: readonly string[];
  /** Surfaces that cannot be bundled: they throw why when they are loaded, and keep no other back. */
  readonly broken: readonly BrokenSurface[];
}

export interface BrokenSurface {
  readonly file: string;
  readonly message: string;
}
