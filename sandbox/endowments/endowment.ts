import type { AsyncContexts } from './async-contexts.js';
import type { Json } from '../wire/messages.js';
import type { ByteSource } from '../wire/streams.js';
import type {
  GuestGrant,
  GuestLimits,
  LogParams,
  PackageHost,
  PluginIdentity,
} from '../wire/methods.js';

/**
 * Requests to the host. The host answers with a copy, or refuses with an error that names the
 * missing permission. If it never answers, `signal` or the call's deadline ends the request.
 */
export interface HostCapability {
  /**
   * Sends one request. `method` is a key of `HostMethods` in `wire/methods.ts`. While many requests
   * of the method are open, it waits in the guest. A function as `params` is called when the request
   * is sent: it opens the streams that the params name.
   */
  request(method: string, params: unknown, options?: HostRequestOptions): Promise<unknown>;
  /**
   * Sends one request and blocks until the answer is there. `method` is one of `SYNC_METHODS` in
   * `wire/sync.ts`. Throws what `request` would reject with.
   */
  requestNow(method: string, params: Json, body?: Uint8Array): SyncReply;
  /** Sends a notice, which has no answer. The host may drop notices under load. */
  notify(method: string, params: unknown): void;
  /** Sends a notice that the host does not drop. The sender must bound their number. */
  notifyAlways(method: string, params: unknown): void;
  /** Sends bytes to the host as they are produced. The id goes into a request's params. */
  openStream(source: ByteSource): number;
  /** Receives the stream that a reply announced under `streamId`. */
  acceptStream(streamId: number): ByteSource;
}

/** The answer to a synchronous request. */
export interface SyncReply {
  readonly value: Json;
  readonly body: Uint8Array;
}

export interface HostRequestOptions {
  /**
   * Registers the listener for the abort of the request, and returns the function that removes it.
   * The abort only notifies the host. Its answer still settles the request, because it may announce
   * a stream that must be cancelled.
   */
  readonly onAbort?: (listener: () => void) => () => void;
}

/** The clock, from the perimeter. Handles are opaque. */
export interface ClockCapability {
  now(): number;
  /** Milliseconds since the guest started, with a fraction. */
  monotonic(): number;
  setTimeout(callback: () => void, delayMs: number): unknown;
  clearTimeout(handle: unknown): void;
  queueMicrotask(callback: () => void): void;
}

/** The URL parser, as functions from strings to strings: no host object crosses. */
export interface UrlCapability {
  /** The parts of a URL, or `undefined` if it is invalid. */
  parse(href: string, base?: string): UrlParts | undefined;
  /** Sets one part and returns all parts. An invalid value changes nothing. */
  set(href: string, part: keyof Omit<UrlParts, 'origin'>, value: string): UrlParts;
}

export interface UrlParts {
  readonly href: string;
  readonly origin: string;
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}

export interface TextCapability {
  /** Encodes as UTF-8, into an array of its own. */
  encode(text: string): Uint8Array;
  /**
   * A decoder for one stream of bytes, or `undefined` for a label that the platform does not know.
   * If `fatal`, `decode` throws a TypeError on malformed input.
   */
  decoder(
    label: string,
    options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
  ): { readonly encoding: string; decode(bytes: Uint8Array, more: boolean): string } | undefined;
  atob(text: string): string;
  btoa(text: string): string;
}

/** The digests that the platform computes, by the web's names. */
export const DIGESTS = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'] as const;

export type DigestName = (typeof DIGESTS)[number];

/** Hashes and the system's randomness, as functions on bytes. Results have buffers of their own. */
export interface CryptoCapability {
  /** Fills the array with cryptographic randomness of the system. */
  fillRandom(bytes: Uint8Array): void;
  digest(name: DigestName, bytes: Uint8Array): Uint8Array;
  hmac(name: DigestName, key: Uint8Array, bytes: Uint8Array): Uint8Array;
}

/**
 * WebAssembly for code of ours alone. Plugins never get it, nor an object that leads to it: errors and
 * memories of the platform have its classes.
 */
export interface WasmCapability {
  isCompiled(name: string): boolean;
  /** Compiles code once for the process. */
  compile(name: string, code: Uint8Array): void;
  /** Starts compiled code, with a memory of its own as `env.memory`. Sizes are pages of 64 KiB. */
  start(
    name: string,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
    size: { readonly initial: number; readonly maximum: number },
  ): WasmInstance;
  /** The exports of a module that imports only functions, from `host`. */
  wrap(
    code: Uint8Array,
    functions: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>>;
}

export interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>;
  /** The memory. It is another buffer after it grew. */
  memory(): ArrayBuffer;
  /** Whether the memory grew. */
  grow(pages: number): boolean;
}

/** The endowments' requirements of the platform. */
export interface WebCapabilities {
  /** Absent if the process runs without WebAssembly. */
  readonly wasm?: WasmCapability | undefined;
  readonly clock: ClockCapability;
  readonly contexts: AsyncContexts;
  readonly url: UrlCapability;
  readonly text: TextCapability;
  readonly crypto: CryptoCapability;
  /** The platform's own `Math.random`. */
  readonly random: () => number;
  /** The untamed `Date` and `Intl`, which read the clock. */
  readonly feralDate: DateConstructor;
  readonly feralIntl: typeof Intl;
}

/** How a value of the plugin is serialized for a request to the host. */
export interface SerializeRequest {
  /** The subject of the errors' messages. Default: "The result". */
  readonly subject?: string;
  /** Bytes of JSON. Default: those of a result. */
  readonly maxBytes?: number;
  /** Takes the bytes in the value, which are `null` in the text. Default: bytes are objects. */
  readonly onBytes?: (path: readonly (string | number)[], bytes: Uint8Array) => void;
}

/** Everything that endowments may use. Tests pass fakes. */
export interface EndowmentCapabilities extends WebCapabilities {
  readonly plugin: PluginIdentity;
  /** Whether the realm has compartments of other plugins. */
  readonly shared?: boolean;
  /** The current grant. The host may change it while the plugin runs. */
  readonly grant: GuestGrant;
  readonly limits: GuestLimits;
  readonly host: HostCapability;
  /** Hears each line of `console`. */
  readonly logged?: ((level: LogParams['level'], text: string) => void) | undefined;
  /** Reports an error thrown by a callback that no caller awaits (a timer, a listener). */
  readonly reportFault: (error: unknown) => void;
  /** Serializes any value of the plugin as JSON text, within the guest's budgets. */
  readonly serialize: (value: unknown, options?: SerializeRequest) => string;
  /** Whether plugins of this system may have cryptographic randomness, with `random`. */
  readonly hasCryptoRandom: boolean;
  /** Reports a denial to the host. `error` is the error that the plugin gets. */
  readonly denied: (
    permission: keyof GuestGrant | 'builtin',
    wanted: string,
    error: Error,
    /** The npm package whose use it is. */
    inPackage?: string,
  ) => void;
  /** Makes the error for a use without a grant, and reports the denial. */
  readonly denial: (permission: keyof GuestGrant, wanted: string) => Error;
}

/**
 * A capability that a compartment gets under global names.
 *
 * `make` is called at most once for every compartment. Its result is hardened and works until
 * `revoke`. After that every use throws or does nothing until `restore`. Pure computation (text,
 * URLs, copies) is not an authority and continues to work.
 */
export interface Endowment {
  /** Without this permission the compartment gets `withheld` instead of `make`. */
  readonly permission?: keyof GuestGrant;
  /** Every global name of `make`: the names that are absent if the permission is withheld. */
  readonly globals: readonly string[];
  readonly make: (capabilities: EndowmentCapabilities) => Endowed;
  /** The replacement while the permission is not granted. Default: the names do not exist. */
  readonly withheld?: (capabilities: EndowmentCapabilities) => Endowed;
  /**
   * The replacement in the compartment of an npm package. All code there is a dependency's, so that there is one of
   * each object. Default: the names do not exist.
   */
  readonly withheldInPackage?: (capabilities: EndowmentCapabilities) => PackageReplacement;
}

export interface Endowed {
  readonly globals: Readonly<Record<string, unknown>>;
  /**
   * Replacements of globals for code of the plugin's dependencies. Without the permission they give
   * fixed values and report one denial, because packages often measure themselves.
   */
  readonly forDependencies?: Readonly<Record<string, unknown>>;
  readonly revoke: () => void;
  /**
   * Called after the permission was granted or its scope has changed. Applies `capabilities.grant`.
   * Revoked references stay revoked. Returns the new globals, if any. Default: does nothing.
   */
  readonly restore?: () => Readonly<Record<string, unknown>> | undefined;
  /** The globals with a narrower scope, for an npm package. `revoke` ends these too. Not hardened. */
  readonly narrow?: (limit: NetworkLimit) => Readonly<Record<string, unknown>>;
}

/** As in `Endowed`. The members of both may be made when they are first read. */
export type PackageReplacement = Pick<Endowed, 'globals'> &
  Required<Pick<Endowed, 'forDependencies'>>;

/** The requests that an npm package may make. */
export interface NetworkLimit {
  readonly hosts: readonly PackageHost[];
  /** Makes the error for another request, and reports the denial. */
  readonly denial: (wanted: string) => Error;
}
