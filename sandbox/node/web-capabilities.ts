import { cryptoCapability } from './crypto-capability.js';
import { makeAsyncContexts } from '../endowments/async-contexts.js';
import { followPromises } from './promise-hooks.js';
import { makeWasmCapability } from './wasm-capability.js';
import type {
  ClockCapability,
  TextCapability,
  UrlParts,
  UrlCapability,
  WebCapabilities,
} from '../endowments/endowment.js';

/** The platform's web classes and functions, as the perimeter finds them. */
export interface WebGlobals {
  readonly URL: typeof URL;
  readonly TextEncoder: typeof TextEncoder;
  readonly TextDecoder: typeof TextDecoder;
  readonly setTimeout: typeof setTimeout;
  readonly clearTimeout: typeof clearTimeout;
  readonly queueMicrotask: typeof queueMicrotask;
  readonly performance: Pick<typeof performance, 'now'>;
  readonly atob: typeof atob;
  readonly btoa: typeof btoa;
  readonly Date: DateConstructor;
  readonly Intl: typeof Intl;
  readonly Math: Pick<typeof Math, 'random'>;
}

/**
 * Captures what the endowments need of the platform, as functions on strings, numbers and arrays.
 * Call it before `lockdown()`, then delete `TextEncoder` and `TextDecoder` from the global object:
 * SES would give the platform's classes to every compartment that a plugin makes, with their unfrozen
 * errors and native handles.
 */
export function makeWebCapabilities(globals: WebGlobals): WebCapabilities {
  const { Date, Math } = globals;
  const { random } = Math;
  return {
    wasm: makeWasmCapability(globals),
    clock: makeClockPower(globals),
    contexts: makeAsyncContexts(followPromises),
    url: makeUrlPower(globals.URL),
    text: makeTextPower(globals),
    crypto: cryptoCapability,
    random: () => random(),
    feralDate: Date,
    feralIntl: globals.Intl,
  };
}

function makeClockPower(globals: WebGlobals): ClockCapability {
  const { Date, performance, setTimeout, clearTimeout, queueMicrotask } = globals;
  const { now } = Date;
  const start = performance.now();
  return {
    now: () => now(),
    monotonic: () => performance.now() - start,
    // Node passes the Timeout as `this`. The callback must not get it.
    setTimeout: (callback, delayMs) => setTimeout(() => callback(), delayMs),
    clearTimeout: (handle) => Reflect.apply(clearTimeout, undefined, [handle]),
    queueMicrotask: (callback) => queueMicrotask(callback),
  };
}

function makeUrlPower(PlatformURL: typeof URL): UrlCapability {
  return {
    parse: (href, base) => {
      try {
        return readParts(new PlatformURL(href, base));
      } catch {
        return undefined;
      }
    },
    set: (href, part, value) => {
      const url = new PlatformURL(href);
      url[part] = value;
      return readParts(url);
    },
  };
}

function readParts(url: URL): UrlParts {
  return {
    href: url.href,
    origin: url.origin,
    protocol: url.protocol,
    username: url.username,
    password: url.password,
    host: url.host,
    hostname: url.hostname,
    port: url.port,
    pathname: url.pathname,
    search: url.search,
    hash: url.hash,
  };
}

function makeTextPower({
  TextEncoder: PlatformEncoder,
  TextDecoder: PlatformDecoder,
  atob,
  btoa,
}: WebGlobals): TextCapability {
  const encoder = new PlatformEncoder();
  return {
    encode: (text) => {
      const bytes = encoder.encode(text);
      return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
    },
    decoder: (label, options) => {
      try {
        const decoder = new PlatformDecoder(label, options);
        return {
          encoding: decoder.encoding,
          decode: (bytes, more) => decoder.decode(bytes, { stream: more }),
        };
      } catch {
        return undefined;
      }
    },
    atob: (text) => atob(text),
    btoa: (text) => btoa(text),
  };
}
