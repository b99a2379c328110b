import { isBuiltin } from 'node:module';
import type { BundleSpec } from './spec.js';

/**
 * The file of `sandbox/builtins` that stands in for a module of Node or Bun inside the compartment.
 * None has any power of its own, and those without a file of theirs throw where they are used.
 */
export function builtinFile(name: string): string {
  return IMPLEMENTED.get(name) ?? 'denied';
}

/** Tells whether a specifier without `node:` or `bun:` means a built-in. */
export function isBuiltinIn(
  builtins: NonNullable<BundleSpec['builtins']>,
): (specifier: string) => boolean {
  return builtins === 'real'
    ? isBuiltin
    : (specifier) => IMPLEMENTED.has(specifier) || DENIED.has(specifier);
}

const IMPLEMENTED: ReadonlyMap<string, string> = new Map([
  ['assert', 'assert'],
  ['assert/strict', 'assert-strict'],
  ['async_hooks', 'async-hooks'],
  ['buffer', 'buffer-module'],
  ['bun', 'bun'],
  ['constants', 'os-constants'],
  ['crypto', 'crypto'],
  ['diagnostics_channel', 'diagnostics-channel'],
  ['events', 'events'],
  ['fs', 'fs'],
  ['fs/promises', 'fs-promises'],
  ['module', 'module'],
  ['net', 'net'],
  ['os', 'os'],
  ['path', 'path'],
  ['path/posix', 'path'],
  ['perf_hooks', 'perf-hooks'],
  ['process', 'process'],
  ['punycode', 'punycode'],
  ['querystring', 'querystring'],
  ['stream', 'stream'],
  ['stream/promises', 'stream-promises'],
  ['string_decoder', 'string-decoder'],
  ['sys', 'util'],
  ['timers', 'timers'],
  ['timers/promises', 'timers-promises'],
  ['tty', 'tty'],
  ['url', 'url'],
  ['util', 'util'],
  ['util/types', 'util-types'],
  // Packages that bring `fetch` to where there is none: here there is one, or no network.
  ['cross-fetch', 'fetch'],
  ['cross-fetch/polyfill', 'fetch'],
  ['isomorphic-fetch', 'fetch'],
  ['isomorphic-unfetch', 'fetch'],
  ['node-fetch', 'fetch'],
  ['undici', 'fetch'],
  ['unfetch', 'fetch'],
  ['whatwg-fetch', 'fetch'],
]);

const DENIED: ReadonlySet<string> = new Set(
  [
    'child_process cluster console dgram dns dns/promises domain http http2 https inspector',
    'inspector/promises path/win32 readline readline/promises repl stream/consumers stream/web tls',
    'trace_events v8 vm wasi worker_threads zlib',
  ]
    .join(' ')
    .split(' '),
);
