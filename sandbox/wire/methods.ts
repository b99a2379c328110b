import type { Json, WireFailure } from './messages.js';
import { isRecord } from './json.js';
import type { NetworkScope } from './network-scope.js';

/** What a guest knows about its plugin. Denials name both texts. */
export interface PluginIdentity {
  readonly id: string;
  /** The place where the author declares permissions: `pandora.manifest.json`, `"bulkhead" of spindle.json`. */
  readonly manifest: string;
  /** Kinds that the operator may grant although the manifest does not declare them; `true`: all. Absent: none. */
  readonly undeclared?: true | readonly string[];
}

/**
 * The part of the effective permissions that the guest needs. The host's brokers have the scopes, except
 * for names that plugin code may query.
 */
export interface GuestGrant {
  readonly time: boolean;
  readonly random: boolean;
  readonly network: boolean;
  /** The mounts, and none for grants in the plugin's own directory; `undefined` without the permission. */
  readonly fs: readonly GuestMount[] | undefined;
  readonly storage: boolean;
  /** Names of the host's own powers. `undefined` if none is granted. */
  readonly powers: readonly string[] | undefined;
  /** The granted keys with their values at load. `undefined` if none is granted. */
  readonly env: Readonly<Record<string, string>> | undefined;
}

/** The part of the plugin's grant that one npm package gets. It is never more than the plugin's. */
export interface PackageGrant {
  readonly time?: boolean;
  readonly random?: boolean;
  /** `true`: what the plugin may reach. Else the scopes that both cover, such as `api.example.com`. */
  readonly network?: boolean | readonly string[];
  readonly fs?: boolean;
  readonly storage?: boolean;
  readonly powers?: boolean;
  /** The standard streams of a program: it speaks for an MCP server. */
  readonly streams?: boolean;
  /** The arguments of a program, in which keys may be. */
  readonly arguments?: boolean;
  /** Other packages may add to its classes. */
  readonly open?: boolean;
  /** Names of variables. */
  readonly env?: readonly string[];
  /** Packages that it imports although its package.json does not name them; `.` for the plugin's own files. */
  readonly imports?: readonly string[];
}

/** A package's grant as its guest gets it. */
export interface LoadedPackage extends Omit<PackageGrant, 'network'> {
  readonly network?: true | readonly PackageHost[];
  /** All packages that it may import. Absent: those that its package.json names, and `imports`. */
  readonly importsOnly?: readonly string[];
  /** It is evaluated with the plugin's own code, in the same compartment, and gets all that it gets. */
  readonly isOwn?: boolean;
}

/** A network scope, parsed and as text. */
export interface PackageHost extends NetworkScope {
  readonly text: string;
}

/** A directory or file of the host that the plugin sees. */
export interface GuestMount {
  /** The absolute path at which the plugin sees it. */
  readonly at: string;
  readonly isWritable: boolean;
}

/** Caps that the guest enforces. They limit honest plugins; the host enforces its own. */
export interface GuestLimits {
  readonly maxTimers: number;
  readonly maxResultBytes: number;
  readonly maxResultDepth: number;
  readonly maxResultNodes: number;
  /** Characters of one console line. */
  readonly maxLogText: number;
  readonly maxFetches: number;
  /** Bytes that `response.text()` and similar methods collect. */
  readonly maxBodyBytes: number;
  /** Characters that one call writes while it runs. */
  readonly maxOutputText: number;
}

/** Selects the world that plugin code expects: a key of the table in `dialects/`. */
export type DialectName = string;

/**
 * Host → guest, once, before other requests: loads the plugin. Answers `null` when the plugin's modules
 * have been evaluated.
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
  /** Global names that the bundle assigns to. They stay writable. */
  readonly assignedGlobals: readonly string[];
  /** The IANA time zone of a plugin with `time`. Others get UTC, as do shared guests. */
  readonly timeZone: string;
  /** What the plugin's clock shows when it loads, in milliseconds since the epoch. Default: the machine's time. */
  readonly startTime?: number;
  /** The operator's configuration of the plugin, as the dialect passes it to the plugin. */
  readonly config: Json;
  /** Names of the powers that the host lends, granted to this plugin or not. */
  readonly hostPowers: readonly string[];
  /** What the dialect shows the plugin's code about itself; `null` if its format has nothing. */
  readonly pluginInfo: Json;
  /** Records the plugin's clock, timers and randomness, or replays recorded ones. Default: neither. */
  readonly tape?: TapeParams;
  /**
   * What each npm package in the plugin may use, by its directory (see `units.ts`). Packages that are not named get
   * nothing. Absent: the packages and the plugin's own code are one bundle with one grant.
   */
  readonly packages?: Readonly<Record<string, LoadedPackage>>;
  /** Real path of the plugin's directory. Only for a plugin that runs unconfined. */
  readonly directory?: string;
}

/** What a guest keeps of `LoadParams`. The text of the bundle may have megabytes, and V8 has a copy of it. */
export type KeptParams = Omit<LoadParams, 'code'>;

/**
 * Host → guest, once: the source of the schema validator (one expression; it runs in a compartment of its
 * own without endowments). `warmUp`: the guest is a standby guest, and does work in advance that the first
 * load and the first call would do. An empty source means the source that another plugin of the same shared
 * guest got before. Answers `null`.
 */
export interface ValidatorParams {
  readonly source: string;
  readonly warmUp: boolean;
}

/** Host → guest: the schemas of the tools' inputs. Answers `null`. */
export interface SchemasParams {
  /** By tool, as the dialect names it. A tool without a schema takes any input. */
  readonly schemas: readonly (readonly [tool: string, schema: Json])[];
}

/** Host → guest: checks the operator's configuration against the plugin's own schema. Answers a copy with defaults. */
export interface ConfigParams {
  readonly schema: Json;
  readonly config: Json;
}

/** Whether a request to a guest runs the plugin's code for a caller. The others are the engine's own. */
export function isCall(method: string): boolean {
  return method === 'call' || method === 'hook' || method === 'event';
}

/** Host → guest: runs one tool. Answers its result, as plain data. */
export interface CallParams {
  readonly tool: string;
  /** The surface of the tool, if its dialect loads surfaces one by one. */
  readonly surface?: string;
  /** The name of the call in `OutputParams`. Absent if the caller does not listen to the call's output. */
  readonly output?: string;
  /** The input is not validated against the tool's schema. */
  readonly incomplete?: true;
  readonly input: unknown;
  readonly context: Json;
}

/** Host → guest: an event that the dialect knows by that name. Answers the dialect's result. */
export interface EventParams {
  readonly name: string;
  readonly payload: Json;
  /** The user, for a dialect that has users. */
  readonly userId?: string;
}

/**
 * Host → guest: the new grant. Revoked permissions stop working before the answer, `null`, is sent. New
 * permissions work from then on.
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
  /** The length of that body, if it is known before it is sent. */
  readonly bodyBytes?: number;
  readonly redirect: 'follow' | 'error' | 'manual';
  /** Network scopes of which one must also cover each hop: those of an npm package. Default: the grant decides alone. */
  readonly within?: readonly string[];
  /** The request whose call's context it was made through, if there is one. */
  readonly call?: number;
}

export interface FetchReply {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly redirected: boolean;
  readonly headers: readonly (readonly [string, string])[];
  /** The id of the stream that carries the response's body; absent if it has none. */
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
 * Arguments that are too large for a message are at the beginning of the stream: `json` is the length
 * of their JSON text, and `arguments` is `null`.
 */
export interface PowerParams {
  readonly name: string;
  readonly arguments: Json;
  readonly bytes?: {
    readonly stream: number;
    readonly parts: readonly (readonly [path: readonly (string | number)[], length: number])[];
    readonly json?: number;
  };
}

/**
 * Guest → host, only from a program that calls tools. Answers `{ value }` or `{ error: { code, message } }`.
 *
 * ```
 *   call      { plugin, tool, input }   the tool's answer
 *   search    { words, limit }          the tools that fit
 *   describe  { tool }                  the signature and the description of one tool
 * ```
 */
export interface ProgramParams {
  readonly op: 'call' | 'search' | 'describe';
  readonly params: Json;
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
  /** The progress that the text reports. A caller that reads progress gets this instead of the text. */
  readonly progress?: CallReport;
}

/** Progress as a server reports it: numbers, and a text. Nothing of it is verified. */
export interface CallReport {
  readonly progress: unknown;
  readonly total?: unknown;
  readonly message?: unknown;
}

/**
 * Guest → host, a notice: a log message of an MCP server, for the client of the call that runs. Nothing of it
 * is verified.
 */
export interface ClientLogParams {
  readonly level: unknown;
  readonly logger?: string;
  readonly data: unknown;
}

/** Guest → host, a notice: a list of an MCP server's offers has changed, or the resource of that address. */
export type OffersChangedParams = { readonly list: string } | { readonly uri: unknown };

/** Guest → host, a notice: an error outside of all calls. */
export interface FaultParams {
  readonly failure: WireFailure;
}

/** Guest → host, a notice: the guest denied the use of a permission that is not granted. */
export interface DeniedParams {
  readonly permission: string;
  readonly wanted: string;
  /** The npm package, by its directory. Absent: the plugin's own code, or not known. */
  readonly package?: string;
  /** The place of the use, in lines of the bundle. */
  readonly stack: string;
}

/**
 * The methods that a guest answers. `ping` has no params and answers `null`. `describe` has no params
 * and answers what the dialect says. A host has one notice, `collect`: nothing is asked of the guest now, so it may
 * collect its garbage.
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
export type HostMethod = 'fetch' | 'readFile' | 'statFile' | 'storage' | 'power' | 'program';

/**
 * Notices of a guest. `contributions-changed`: the last answer to `describe` is out of date. `ending`: it
 * ends itself in a moment, when its last answers were sent.
 */
export type GuestNotice =
  | 'ready'
  | 'ending'
  | 'log'
  | 'fault'
  | 'denied'
  | 'tape'
  | 'contributions-changed'
  | 'offers-changed'
  | 'client-log'
  | 'output'
  | 'broadcast';

/**
 * The clock, the timers and the randomness of a plugin. With them and the host's messages, a second run of
 * the code has the same results.
 */
export interface TapeParams {
  /** The seed of the randomness: four numbers of 32 bits. */
  readonly seed: readonly number[];
  /** The recorded values, to replay. Default: none; the run is recorded. */
  readonly content?: TapeContent;
}

export interface TapeContent {
  /**
   * The order of messages and timers: 0 for a message of the host, else the timer's number. Timers are
   * numbered from 1 in the order in which they were set.
   */
  readonly turns: readonly number[];
  /** The values that the clocks returned, in order. Each is followed by its number of repetitions. */
  readonly times: readonly number[];
  /** Each draw of the system's cryptographic randomness, in hexadecimal. Absent: there was none. */
  readonly entropy?: readonly string[];
  /** The answers to synchronous requests, in order, each as JSON with its body as Latin-1. */
  readonly answers?: readonly string[];
}

/** Turns, and different clock values, that a tape has. Later ones are lost, and the recording says so. */
export const MAX_TAPE_ENTRIES: number = 50_000;

/**
 * Guards for messages to a guest. A guest trusts its host, so they only distinguish messages: the host's
 * own code makes them.
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
