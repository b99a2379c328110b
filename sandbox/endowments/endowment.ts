import type { ByteSource } from '../wire/streams.js';
import type { GuestGrant, GuestLimits, PluginIdentity } from '../wire/methods.js';

/**
 * Asks the host for something. The host answers with a copy, refuses with an error that says which
 * permission was missing, or never answers (then `signal` or the call's deadline ends the wait).
 */
export interface HostPower {
  /** Sends one request. `method` is a key of `HostMethods` in `wire/methods.ts`. */
  request(method: string, params: unknown, options?: HostRequestOptions): Promise<unknown>;
  /** Tells the host something that has no answer. */
  notify(method: string, params: unknown): void;
  /** The same, of what may not be dropped where there is much to tell: its sender keeps it short. */
  notifyAlways(method: string, params: unknown): void;
  /** Sends bytes to the host as they are produced; the id goes into a request's params. */
  openStream(source: ByteSource): number;
  /** Takes delivery of the bytes that a reply announced under `streamId`. */
  acceptStream(streamId: number): ByteSource;
}

export interface HostRequestOptions {
  /**
   * Calls the listener when the request is to be given up; returns how to stop listening. The host
   * is told and no more: its answer, whatever it is by then, still settles the request, because it
   * may announce a stream that has to be cancelled.
   */
  readonly onAbort?: (listener: () => void) => () => void;
}

/** Time, as the perimeter lends it. Handles are opaque to everyone but the lender. */
export interface ClockPower {
  now(): number;
  /** Milliseconds since the guest began, with a fraction. */
  monotonic(): number;
  setTimeout(callback: () => void, delayMs: number): unknown;
  clearTimeout(handle: unknown): void;
  queueMicrotask(callback: () => void): void;
}

/** The URL parser, as functions from strings to strings, so that no host object comes along. */
export interface UrlPower {
  /** The parts of a URL, or `undefined` where it cannot be parsed. */
  parse(href: string, base?: string): UrlParts | undefined;
  /** Sets one part and returns all of them; an invalid value leaves them as they were. */
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

export interface TextPower {
  /** UTF-8, into an array of its own. */
  encode(text: string): Uint8Array;
  /**
   * A decoder for one stream of bytes in the encoding of that label, or `undefined` for a label
   * that the platform does not know. `decode` throws a TypeError on malformed input if `fatal`.
   */
  decoder(
    label: string,
    options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
  ): { readonly encoding: string; decode(bytes: Uint8Array, more: boolean): string } | undefined;
  atob(text: string): string;
  btoa(text: string): string;
}

/** What the endowments need of the platform. */
export interface WebPowers {
  readonly clock: ClockPower;
  readonly url: UrlPower;
  readonly text: TextPower;
  /** The platform's own `Math.random`. */
  readonly random: () => number;
  /** The untamed `Date` and `Intl`: authority to tell the time. */
  readonly feralDate: DateConstructor;
  readonly feralIntl: typeof Intl;
}

/** Everything that any endowment may use, passed to each of them. Tests pass fakes. */
export interface EndowmentPowers extends WebPowers {
  readonly plugin: PluginIdentity;
  /** Whether compartments of other plugins are in the same realm. */
  readonly shared?: boolean;
  /** As it is now: a host may change it while the plugin runs. */
  readonly grant: GuestGrant;
  readonly limits: GuestLimits;
  readonly host: HostPower;
  /** An error escaped from a callback that nobody awaits (a timer, a listener). */
  readonly reportFault: (error: unknown) => void;
  /** Turns any value of the plugin into JSON text, under the guest's budgets. */
  readonly serialize: (value: unknown) => string;
  /** The error a plugin gets where it uses what it was not granted. */
  readonly denial: (permission: keyof GuestGrant, wanted: string) => Error;
}

/**
 * A capability given to a compartment under global names.
 *
 * `make` is called at most once for every compartment. What it returns is hardened and stays usable
 * until `revoke`; after that every use throws or does nothing, whatever the plugin has kept, until
 * `restore`. What only computes (text, URLs, copies) is no authority, and goes on working.
 */
export interface Endowment {
  /** The permission without which the compartment gets `withheld` instead of `make`. */
  readonly permission?: keyof GuestGrant;
  /** Every global name that `make` gives: the names that are absent when it is withheld. */
  readonly globals: readonly string[];
  readonly make: (powers: EndowmentPowers) => Endowed;
  /** What stands in while the permission is not granted; absent: the names do not exist. */
  readonly withheld?: (powers: EndowmentPowers) => Endowed;
}

export interface Endowed {
  readonly globals: Readonly<Record<string, unknown>>;
  readonly revoke: () => void;
  /**
   * The permission is granted, again or for the first time, or what it covers has changed: works as
   * `powers.grant` now says. What `revoke` stopped stays stopped. Absent: there is nothing to do.
   * Answers the globals that are there only now, if any.
   */
  readonly restore?: () => Readonly<Record<string, unknown>> | undefined;
}
