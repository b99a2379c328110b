import type { Json, WireFailure } from './messages.js';
import { isRecord } from './json.js';

/** What a guest knows of the plugin that it holds: enough to word a denial's remedy. */
export interface PluginIdentity {
  readonly id: string;
  /** Where an author asks for a permission: `pandora.manifest.json`, `"bulkhead" of spindle.json`. */
  readonly manifest: string;
}

/**
 * The effective permissions as the guest has to know them. Scopes stay with the host's brokers,
 * but for names that plugin code asks about.
 */
export interface GuestGrant {
  readonly time: boolean;
  readonly random: boolean;
  readonly network: boolean;
  /** The mounts, and none for grants in the plugin's own directory; `undefined` without the permission. */
  readonly fs: readonly GuestMount[] | undefined;
  readonly storage: boolean;
  /** Names of the host's own powers; `undefined` where none is granted. */
  readonly powers: readonly string[] | undefined;
  /** The granted keys with the values they had at load; `undefined` where none is granted. */
  readonly env: Readonly<Record<string, string>> | undefined;
}

/** A directory or file of the host that the plugin sees. */
export interface GuestMount {
  /** The absolute path at which the plugin sees it. */
  readonly at: string;
  readonly isWritable: boolean;
}

/** Caps that hold inside the guest. They bound honest plugins; the host has its own. */
export interface GuestLimits {
  readonly maxTimers: number;
  readonly maxResultBytes: number;
  readonly maxResultDepth: number;
  readonly maxResultNodes: number;
  /** Characters of one console line. */
  readonly maxLogText: number;
  readonly maxFetches: number;
  /** Bytes that `response.text()` and its like gather. */
  readonly maxBodyBytes: number;
  /** Characters that one call writes while it runs. */
  readonly maxOutputText: number;
}

/** The word that selects the world plugin code expects, a key of the table in `dialects/`. */
export type DialectName = string;

/**
 * Host → guest, first of all and once: becomes the guest of this plugin. Answers `null` when the
 * plugin's modules have been evaluated.
 */
export interface LoadParams {
  readonly plugin: PluginIdentity;
  readonly grant: GuestGrant;
  readonly limits: GuestLimits;
  readonly dialect: DialectName;
  /** The bundle: one expression, a function that evaluates the plugin (see `plugin/bundle`). */
  readonly code: string;
  /** The name that stack traces give the bundle. */
  readonly sourceUrl: string;
  /** Global names that the bundle assigns to: left writable. */
  readonly assignedGlobals: readonly string[];
  /** The IANA time zone of a plugin with `time`. Others get UTC, as do shared guests. */
  readonly timeZone: string;
  /** The operator's configuration of the plugin, as the dialect hands it on. */
  readonly config: Json;
  /** Names of the powers that the host lends, granted to this plugin or not. */
  readonly hostPowers: readonly string[];
  /** What the dialect shows the plugin's code about itself; `null` if its format has nothing. */
  readonly pluginInfo: Json;
  /** Its clock, timers and randomness are recorded, or run on what was. */
  readonly tape?: TapeParams;
  /** Real path of the plugin's directory: only where it runs unconfined. */
  readonly directory?: string;
}

/**
 * Host → guest, once: the source of the schema validator (one expression; it runs in a compartment
 * of its own that holds nothing). `ahead`: the guest is blank, and does now what would else be done
 * by the first load and the first call. An empty source is that of a guest that several plugins
 * share, and had before. Answers `null`.
 */
export interface ValidatorParams {
  readonly source: string;
  readonly warmUp: boolean;
}

/** Host → guest: the schemas that inputs have to fit. Answers `null`. */
export interface SchemasParams {
  /** By tool, as the dialect names it. A tool that is not here takes any input. */
  readonly schemas: readonly (readonly [tool: string, schema: Json])[];
}

/** Host → guest: the operator's configuration, as the plugin's own schema has it. Answers a copy. */
export interface ConfigParams {
  readonly schema: Json;
  readonly config: Json;
}

/** Whether a request to a guest runs the plugin's code for a caller. The others are the engine's own. */
export function isCall(method: string): boolean {
  return method === 'call' || method === 'hook' || method === 'event';
}

/** Host → guest: runs one tool. Answers what it returned, as plain data. */
export interface CallParams {
  readonly tool: string;
  /** The surface that the tool is, where its dialect loads surfaces one by one. */
  readonly surface?: string;
  /** The caller listens to what it writes while it runs, under this name of the call. */
  readonly output?: string;
  /** The input is handed over as it is, whether or not it fits the tool's schema. */
  readonly incomplete?: true;
  readonly input: unknown;
  readonly context: Json;
}

/** Host → guest: something happened that the dialect knows by that name. Answers what it came to. */
export interface EventParams {
  readonly name: string;
  readonly payload: Json;
  /** The user, for a dialect that has users. */
  readonly userId?: string;
}

/**
 * Host → guest: the grant as it is from now on. What it no longer holds stops working before the
 * answer, `null`, is sent; what it newly holds works from then on.
 */
export interface PermissionsParams {
  readonly grant: GuestGrant;
}

/** Guest → host: one HTTP request through the network broker. */
export interface FetchParams {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  /** The id of the stream that carries the request's body. */
  readonly body?: number;
  /** The length of that body, where it is known before it is sent. */
  readonly bodyBytes?: number;
  readonly redirect: 'follow' | 'error' | 'manual';
  /** The request whose call's context it was made through, if there is one. */
  readonly call?: number;
}

export interface FetchReply {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly redirected: boolean;
  readonly headers: readonly (readonly [string, string])[];
  /** The id of the stream that carries the response's body; absent where it has none. */
  readonly body?: number;
}

/** Guest → host: reads one file through the filesystem broker; answers `{ body: stream id }`. */
export interface ReadFileParams {
  readonly path: string;
  /**
   * Whether a path that is not granted counts as missing, if the plugin's directory does not have it.
   * Programs test for files that they may have written.
   */
  readonly orMissing?: true;
}

/**
 * Guest → host: uses a power of the host. Answers `{ value, bytes? }`. `bytes` has the byte arrays
 * of the arguments or of the value, one after the other in one stream; `null` is in their places.
 */
export interface PowerParams {
  readonly name: string;
  readonly arguments: Json;
  readonly bytes?: {
    readonly stream: number;
    readonly parts: readonly (readonly [path: readonly (string | number)[], length: number])[];
  };
}

/** Guest → host, a notice. Text of a plugin: hostile, capped by the host. */
export interface LogParams {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
}

/** Guest → host, a notice: what a call wrote. Text of a plugin: hostile, capped by the host. */
export interface OutputParams {
  /** The call, as `CallParams.output` named it. */
  readonly call: string;
  readonly text: string;
}

/** Guest → host, a notice: an error that no caller was there to take. */
export interface FaultParams {
  readonly failure: WireFailure;
}

/** Guest → host, a notice: the plugin used what it was not granted, and the guest refused it. */
export interface DeniedParams {
  readonly permission: string;
  readonly wanted: string;
  /** Where, as the bundle's lines. */
  readonly stack: string;
}

/**
 * The methods that a guest answers. `ping` has no params and answers `null`. `describe` has no params
 * and answers what the dialect says.
 */
export type GuestMethod =
  | 'ping'
  | 'validator'
  | 'load'
  | 'schemas'
  | 'config'
  | 'describe'
  | 'call'
  | 'hook'
  | 'event'
  | 'permissions';

/** The methods a host answers. */
export type HostMethod = 'fetch' | 'readFile' | 'statFile' | 'storage' | 'power';

/** Notices of a guest. `contributions-changed`: the last answer to `describe` is out of date. */
export type GuestNotice =
  | 'ready'
  | 'log'
  | 'fault'
  | 'denied'
  | 'tape'
  | 'contributions-changed'
  | 'output'
  | 'broadcast';

/**
 * What a plugin's code cannot know by itself, and may ask: so much of it as makes a run of the code
 * come out the same again. The other part is what the host says to it.
 */
export interface TapeParams {
  /** Where randomness begins: four numbers of 32 bits. */
  readonly seed: readonly number[];
  /** What was recorded: it runs on that. Without it, it records. */
  readonly content?: TapeContent;
}

export interface TapeContent {
  /**
   * What had its turn, in order: 0 for a message of the host's, and for a timer its number, counted
   * from 1 in the order in which they were set.
   */
  readonly turns: readonly number[];
  /** What clocks were read to say, in order, each followed by how often in a row. */
  readonly times: readonly number[];
  /** Each draw of the system's cryptographic randomness, in hexadecimal. Absent: there was none. */
  readonly entropy?: readonly string[];
  /** The answers to synchronous requests, in order, each as JSON with its body as Latin-1. */
  readonly answers?: readonly string[];
}

/** Turns, and different readings, that a tape holds. What is beyond it is lost, and says so. */
export const MAX_TAPE_ENTRIES: number = 50_000;

/**
 * Guards for messages to a guest. Its host is its whole authority, so they distinguish messages and
 * leave the rest to the types: the host's own code made them.
 */
export function isLoadParams(params: unknown): params is LoadParams {
  return isRecord(params) && typeof params['code'] === 'string';
}

export function isValidatorParams(params: unknown): params is ValidatorParams {
  return isRecord(params) && typeof params['source'] === 'string';
}

export function isSchemasParams(params: unknown): params is SchemasParams {
  return isRecord(params) && Array.isArray(params['schemas']);
}

export function isConfigParams(params: unknown): params is ConfigParams {
  return isRecord(params) && params['schema'] !== undefined;
}

export function isPermissionsParams(params: unknown): params is PermissionsParams {
  return isRecord(params) && isRecord(params['grant']);
}

export function isCallParams(params: unknown): params is CallParams {
  return isRecord(params) && typeof params['tool'] === 'string';
}

export function isEventParams(params: unknown): params is EventParams {
  return isRecord(params) && typeof params['name'] === 'string';
}
