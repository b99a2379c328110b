import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import type { ErrorCode } from '../errors.js';
import type { Permissions } from '../permissions/kind.js';
import type { ToolAnswer } from '../plugin/answer.js';
import type { Bundle, FormatName, Plugin, PluginEntry } from '../plugin/plugin.js';
import type { Offer, ToolAnnotations, ToolDefinition } from '../plugin/tool.js';

/** Reading directories that nobody trusts, as little of it as finding and reading manifests takes. */
export interface ReadPower {
  /**
   * The text of a regular file of at most that many bytes; `undefined` where there is no file.
   * Rejects for a larger one, and for what is no regular file: a pipe would never end.
   */
  readFile(path: string, maxBytes: number): Promise<string | undefined>;
  /** Names in a directory, in any order; `undefined` where there is no directory. */
  listDirectory(path: string): Promise<readonly string[] | undefined>;
  /** The path without symbolic links; `undefined` where nothing is there. */
  realpath(path: string): Promise<string | undefined>;
  /**
   * The same of a name in a directory, which is given by its real path: only where it is a link itself
   * is there more to look at than that.
   */
  realpathIn(directory: string, name: string): Promise<string | undefined>;
  /** What is there, links followed; `undefined` where nothing is. */
  stat(path: string): Promise<'file' | 'directory' | 'other' | undefined>;
  /** When it was made, in milliseconds since 1970; `undefined` where the system does not know. */
  birthtimeMs(path: string): Promise<number | undefined>;
}

/** How a plugin is declared on disk. */
export interface Format {
  readonly name: FormatName;
  /** Whether the directory holds a plugin of this format, by its files' names alone. */
  detect(power: ReadPower, directory: string): Promise<boolean>;
  /** Reads what is in a directory, by its real path. Throws `INVALID_MANIFEST` and `OUTSIDE_PLUGIN`. */
  read(power: ReadPower, root: string): Promise<FoundPlugin>;
  /**
   * Whether the plugin's tools are offered, by what the operator configured (`raw`) and by the
   * variables that it requires. That it needs a variable does not mean that it may read it.
   */
  decideActivation(
    plugin: Plugin,
    raw: unknown,
    variable: (name: string) => string | undefined,
  ): Activation;
  /** Reads what a guest answered when it was asked what its entry offers. Never throws. */
  readOffer(answer: unknown, context: OfferContext): Offer;
  /** Whether a tool asks before it runs. */
  requiresApproval(
    entry: Pick<PluginEntry, 'requireApproval'>,
    tool: Pick<ToolDefinition, 'id' | 'toolId'>,
    config: JsonObject | null,
  ): boolean;
  /**
   * Its document leaves asking to the tools' `requireApproval` alone: bands are shown, and count
   * only where the host chose a tolerance.
   */
  readonly asksByFlagAlone?: true;
  /**
   * What its entries offer is what they have registered, which changes while they run: they are asked
   * again whenever they say so, and run from the start where they may run unasked.
   */
  readonly registersAtRunTime?: true;
  /**
   * Makes of what a caller passes what crosses to the tool. Absent: both as they are. Throws
   * `INVALID_OPTIONS` for a context that is not what the format's tools are told.
   */
  prepareCall?(call: CallPreparation): PreparedCall;
  /** What its system calls a tool besides `plugin:tool`. */
  aliasesOf?(entry: Pick<PluginEntry, 'introduction'>, toolId: string): readonly string[];
  /** How long a call may take that nobody gave a deadline. Absent: as long as the tool may. */
  readonly usualTimeoutMs?: number;
  /** Reads what a tool returned. Absent: any value is an answer, a text as it is, the rest as JSON. */
  readAnswer?(value: Json): ToolAnswer;
  /** Words a failed call for a model as the format's own system does. Absent: the message as it is. */
  wordFault?(fault: ToolFault): string;
  /** Its system calls tools by their own names, without their plugins'. */
  readonly bareNames?: true;
  /** What the format's own system shows of an installed plugin (Pandora: `/api/plugins`). */
  list(source: ListingSource): Readonly<Record<string, unknown>>;
  /** Whether a tool may run unattended. */
  runsInBackground(annotations: ToolAnnotations, asksFirst: boolean): boolean;
}

export interface CallPreparation {
  readonly callId: string;
  readonly inputSchema: JsonObject;
  readonly input: Json;
  readonly context: JsonObject | undefined;
}

export interface PreparedCall {
  readonly input: Json;
  /** What the host says besides, once it is known by when the call has to be answered. */
  readonly context: (deadlineAtMs: number) => Json;
}

export interface Activation {
  /** What the plugin sees as its configuration; `null` where it is not active. */
  readonly config: JsonObject | null;
  /** Why it is not active, each with what would make it so. Empty where it is. */
  readonly reasons: readonly string[];
  /** Those of the reasons that are mistakes in its configuration. */
  readonly validationErrors: readonly string[];
  readonly environment: readonly VariableState[];
}

export interface VariableState {
  readonly name: string;
  readonly required: boolean;
  /** Whether it has a value. An empty one is none. */
  readonly configured: boolean;
}

export interface ListingSource {
  readonly plugin: Plugin;
  readonly activation: Activation;
  /** What the operator configured, active or not. */
  readonly config: JsonObject | undefined;
  /** What each entry offers, by its key; nothing of one that was not asked. */
  readonly offers: Readonly<Record<string, Offer>>;
}

/** Why a call failed, before it is worded. */
export interface ToolFault {
  /** The tool as its plugin names it. */
  readonly tool: string;
  readonly code: ErrorCode;
  /** The name of the error that the tool threw, where it threw one. */
  readonly name?: string | undefined;
  readonly message: string;
  /** How long it had, where that was too short. */
  readonly deadlineMs?: number | undefined;
}

export interface OfferContext {
  readonly plugin: Pick<Plugin, 'id' | 'origin'>;
  readonly entry: PluginEntry;
  /** Whether tools of it may run unconfined. Default: false. */
  readonly hostMode?: boolean;
  /** What it holds at present. */
  readonly granted: Permissions;
  /** Its surfaces that could not be bundled, by their files: that much has been told already. */
  readonly broken?: readonly string[];
  /** The longest that the host lets any tool take. */
  readonly maxTimeoutMs: number;
}

export interface FoundPlugin {
  readonly plugin: Plugin;
  /** What was left out of it because it could not be read, as `path: what is wrong`. */
  readonly problems: readonly string[];
  /** Its code, by entry, where it is not to be made from what lies in its directory. */
  readonly bundles?: Readonly<Record<string, Bundle>>;
  /** Why the operator lets none of it run. */
  readonly withheld?: string;
  /** That it is another version that runs, and why. */
  readonly waiting?: string;
}
