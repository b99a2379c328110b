import type { Json, JsonObject, WireFailure } from './messages.js';
import { isRecord } from './parse.js';

/** What a guest knows of the plugin that it holds: enough to word a denial's remedy. */
export interface PluginIdentity {
  readonly id: string;
  /** The file an author edits to ask for a permission, e.g. `pandora.manifest.json`. */
  readonly manifest: string;
}

/** The effective permissions as the guest has to know them. Scopes stay with the host's brokers. */
export interface GuestGrant {
  readonly time: boolean;
  readonly random: boolean;
  readonly network: boolean;
  readonly filesystem: boolean;
  /** The granted keys with the values they had at load; `undefined` where none is granted. */
  readonly environment: Readonly<Record<string, string>> | undefined;
}

/** Caps that hold inside the guest. They keep honest plugins tidy; the host has its own. */
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
}

/** The word that selects the world plugin code expects, a key of the table in `dialects/`. */
export type DialectName = 'pandora';

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
  /** The operator's configuration of the plugin, as the dialect hands it on. */
  readonly config: Json;
  /** Real path of the plugin's directory: only where it runs unconfined. */
  readonly directory?: string;
}

/**
 * Host → guest, once: the source of the schema validator (one expression; it runs in a compartment
 * of its own that holds nothing). `ahead`: the guest is blank, and does now what would else be done
 * by the first load and the first call. Answers `null`.
 */
export interface ValidatorParams {
  readonly source: string;
  readonly ahead: boolean;
}

/** Host → guest: the schemas that inputs have to fit. Answers `null`. */
export interface SchemasParams {
  /** By tool, as the dialect names it. A tool that is not here takes any input. */
  readonly schemas: readonly (readonly [tool: string, schema: Json])[];
}

/** Host → guest: runs one tool. Answers what it returned, as plain data. */
export interface CallParams {
  readonly tool: string;
  readonly input: unknown;
  readonly context: Json;
}

/**
 * Host → guest: runs one hook of the plugin. Answers `null` where it changed nothing and wrote nothing
 * in vain, else a `HookReply`.
 */
export interface HookParams {
  readonly hook: string;
  /** Names this run in what the guest says of it meanwhile. */
  readonly run: number;
  /** What an object means that the hook returns: all of the context, or changes to its draft. */
  readonly returned: 'replaces' | 'merges';
  /** What it means that it returns `null` or another value that is no context. */
  readonly nothing: 'refused' | 'ignored';
  readonly mutable: readonly {
    readonly name: string;
    /** How it is written that there is none; `null` where there has to be one. */
    readonly none: 'undefined' | 'null' | null;
  }[];
  /** Functions that the guest puts into the context. */
  readonly lends: readonly ('logger' | 'broadcast')[];
  /** The fields of the context, but for the large ones. */
  readonly fields: JsonObject;
  readonly large: Readonly<Record<string, LargeField>>;
  /** Pieces of large fields that the guest has not been told yet. */
  readonly pieces: readonly (readonly [id: number, text: string])[];
  /** Pieces that it will not be asked for again. */
  readonly forget: readonly number[];
  /** Bytes of JSON of what the hook may change. */
  readonly maxBytes: number;
}

/** A field that is told by reference: a list whose items lie in pieces, or a value in one. */
export interface LargeField {
  readonly list: boolean;
  readonly pieces: readonly (readonly [id: number, items: number])[];
}

export interface HookReply {
  /** By field: `{ gone: true }`, `{ value }`, or of a list `{ at, removed, items }`. */
  readonly changed: JsonObject;
  /** Fields that were written in vain. */
  readonly dropped: readonly string[];
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
}

/** Guest → host, a notice. Text of a plugin: hostile, capped by the host. */
export interface LogParams {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
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
}

/** Guest → host, a notice: what a hook tells whoever watches its conversation. */
export interface BroadcastParams {
  readonly run: number;
  readonly detail: Json;
}

/** The methods a guest answers; `describe` has no params and answers what the dialect says. */
export type GuestMethod = 'validator' | 'load' | 'schemas' | 'describe' | 'call' | 'hook';

/** The methods a host answers. */
export type HostMethod = 'fetch' | 'readFile';

/** What a guest says unasked. `ready`: locked down and waiting for `load`. */
export type GuestNotice = 'ready' | 'log' | 'fault' | 'denied' | 'broadcast';

/**
 * Guards for what a guest is told. Its host is its whole authority, so they tell messages apart and
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

export function isCallParams(params: unknown): params is CallParams {
  return isRecord(params) && typeof params['tool'] === 'string';
}

export function isHookParams(params: unknown): params is HookParams {
  return isRecord(params) && typeof params['hook'] === 'string' && isRecord(params['fields']);
}
