import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { ownFile } from '../../own-file.js';
import { STREAMS_MODULE } from '../../../sandbox/wire/units.js';
import type { BundleSpec } from './spec.js';

/**
 * The file of `sandbox/builtins` that replaces a module of Node or Bun inside the compartment. The
 * replacements have no power of their own. A module without a file throws when it is used.
 * `provided`: the modules that the guest provides.
 */
export function builtinFile(name: string, provided: ReadonlySet<string>): string {
  if ((name === 'process' || name === 'fs') && provided.has(STREAMS_MODULE))
    return `${name}-program`;
  return IMPLEMENTED.get(name) ?? WITH_SCHEME.get(name) ?? FILES.get(name) ?? 'denied';
}

/** Returns a test whether a specifier without `node:` or `bun:` is a built-in. */
export function isBuiltinIn(
  builtins: NonNullable<BundleSpec['builtins']>,
): (specifier: string) => boolean {
  return builtins === 'real'
    ? isBuiltin
    : (specifier) => IMPLEMENTED.has(specifier) || DENIED.has(specifier);
}

/** Packages that supply the web's own classes: the compartment has them. */
const POLYFILLS: ReadonlyMap<string, string> = new Map([
  ['abort-controller', 'abort-controller'],
  ['cross-fetch', 'fetch'],
  ['cross-fetch/polyfill', 'fetch'],
  ['isomorphic-fetch', 'fetch'],
  ['isomorphic-unfetch', 'fetch'],
  ['node-fetch', 'fetch'],
  ['undici', 'undici'],
  ['unfetch', 'fetch'],
  ['whatwg-fetch', 'fetch'],
]);

/** Whether a package supplies the web's own classes. A page has them, but not under the package's name. */
export function isPolyfill(name: string): boolean {
  return POLYFILLS.has(name);
}

const IMPLEMENTED: ReadonlyMap<string, string> = new Map([
  ['assert', 'assert'],
  ['assert/strict', 'assert-strict'],
  ['async_hooks', 'async-hooks'],
  ['buffer', 'buffer-module'],
  ['bun', 'bun'],
  ['child_process', 'child-process'],
  ['constants', 'os-constants'],
  ['crypto', 'crypto'],
  ['diagnostics_channel', 'diagnostics-channel'],
  ['dns', 'dns'],
  ['dns/promises', 'dns-promises'],
  ['events', 'events'],
  ['fs', 'fs'],
  ['fs/promises', 'fs-promises'],
  ['http', 'http'],
  ['https', 'https'],
  ['module', 'module'],
  ['net', 'net'],
  ['os', 'os'],
  ['path', 'path'],
  ['path/posix', 'path'],
  ['perf_hooks', 'perf-hooks'],
  ['process', 'process'],
  ['punycode', 'punycode'],
  ['readline', 'readline'],
  ['readline/promises', 'readline'],
  ['querystring', 'querystring'],
  ['stream', 'stream'],
  ['stream/consumers', 'stream-consumers'],
  ['stream/promises', 'stream-promises'],
  ['stream/web', 'stream-web'],
  ['string_decoder', 'string-decoder'],
  ['sys', 'util'],
  ['timers', 'timers'],
  ['timers/promises', 'timers-promises'],
  ['tls', 'tls'],
  ['tty', 'tty'],
  ['url', 'url'],
  ['util', 'util'],
  ['util/types', 'util-types'],
  ['worker_threads', 'worker-threads'],
  ['zlib', 'zlib'],
  // A package that lists Node's modules by the version of Node, which a compartment does not have.
  ['is-core-module', 'is-core-module'],
  // A package that watches for the end of a process, with garbage collection, which a compartment does not show.
  ['on-exit-leak-free', 'on-exit-leak-free'],
  // Packages that load machine code.
  ['bindings', 'native'],
  ['node-gyp-build', 'native'],
  ['node-gyp-build-optional-packages', 'native'],
  ...POLYFILLS,
]);

/** Files of packages that need what plugins do not have, by their ends. */
const FILES: ReadonlyMap<string, string> = new Map([
  ['node_modules/pino/lib/transport.js', 'pino-transport'],
]);

/** The name of the replacement of a package's file, if it has one. */
export function replacedFile(path: string): string | undefined {
  return [...FILES.keys()].find((end) => path === end || path.endsWith(`/${end}`));
}

/** Modules that only their scheme names. Without it, the name is a package's. */
const WITH_SCHEME: ReadonlyMap<string, string> = new Map([
  ['bun:sqlite', 'sqlite-bun'],
  ['sqlite', 'sqlite-node'],
]);

/** Whether a specifier without `node:` is a module of Node that has a replacement. */
export function isReplaced(name: string): boolean {
  return IMPLEMENTED.has(name) || DENIED.has(name);
}

/** Whether Node has a module of that name, as the `x` of `node:x`. */
export function isModuleOfNode(name: string): boolean {
  return WITH_SCHEME.has(name) || isReplaced(name) || isBuiltin(`node:${name}`);
}

const DENIED: ReadonlySet<string> = new Set(
  [
    'cluster console dgram domain http2 inspector',
    'inspector/promises path/win32 repl',
    'trace_events v8 vm wasi',
  ]
    .join(' ')
    .split(' '),
);

/** The stand-ins that separate packages share. They have no power, and are large or their classes are compared. */
const SHARED = [
  'buffer',
  'events',
  'path',
  'process-maker',
  'punycode',
  'stream',
  'string-decoder',
  'zlib-codec',
] as const;
export type SharedBuiltin = (typeof SHARED)[number];

/** The shared stand-in by its built files: its own, and the part that other stand-ins import. */
export function sharedBuiltin(file: string): SharedBuiltin | undefined {
  return SHARED.find((name) => file === `${name}.js` || file === sharedPart(name));
}

/** The names that other stand-ins import of a shared one. Some are for the order of evaluation alone. */
export function sharedNames(name: SharedBuiltin): readonly string[] {
  const [, names = ''] = /\bexport \{([^}]*)\};?\s*$/.exec(readBuiltinFile(sharedPart(name))) ?? [];
  return names.split(',').map((one) => one.trim().replace(/^.* as /, ''));
}

const parts = new Map<SharedBuiltin, string>();

function sharedPart(name: SharedBuiltin): string {
  let part = parts.get(name);
  if (part === undefined) {
    part = /from "\.\/(shared-[^"]+)"/.exec(readBuiltinFile(`${name}.js`))?.[1] ?? '';
    parts.set(name, part);
  }
  return part;
}

/** The directory of the built files of `sandbox/builtins`, each with its packages bundled in. */
export function builtinDirectory(): string {
  return ownFile('dist/sandbox/bundled-builtins');
}
const texts = new Map<string, string>();

/** The built text of a file of `sandbox/builtins`. Trusted code, read once. */
export function readBuiltinFile(name: string): string {
  let text = texts.get(name);
  if (text === undefined) {
    // Its source map names files that the published package does not contain.
    text = readFileSync(join(builtinDirectory(), name), 'utf8').replace(
      /\n\/\/# sourceMappingURL=.*\s*$/,
      '\n',
    );
    texts.set(name, text);
  }
  return text;
}
