import type { Json } from './messages.js';

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

/** Host → guest, first of all and once: becomes the guest of this plugin. Answers `undefined`. */
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
}

/** Host → guest: what does the plugin offer? Answers what its dialect says, as plain data. */
export interface DescribeParams {
  /** The operator's configuration of the plugin, as the dialect hands it on. */
  readonly config: Json;
}

/** Host → guest: runs one tool. Answers what it returned, as plain data. */
export interface CallParams {
  readonly tool: string;
  readonly input: unknown;
  readonly context: Json;
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

/** The methods a guest answers, by name. */
export interface GuestMethods {
  load: { params: LoadParams; answer: undefined };
  /** Compiles the validators that `validate` of a call uses: source text of `schema/validator`. */
  describe: { params: DescribeParams; answer: unknown };
  call: { params: CallParams; answer: unknown };
}

/** The methods a host answers. */
export interface HostMethods {
  fetch: { params: FetchParams; answer: FetchReply };
  readFile: { params: ReadFileParams; answer: { readonly body: number } };
}
