import { withCode } from './errors.js';
import { denialOf } from './files/faults.js';
import type { PermissionName } from './denial.js';
import { endowments } from './table.js';

interface WithheldSpec {
  /** Global names that are absent because their permission is not granted. */
  readonly withheldNames: readonly string[];
  readonly hasTime: boolean;
}

/**
 * Explains a failure that comes from an absent global: the language's message (`fetch is not a
 * function`) does not name a permission. Returns the denial, or `undefined` if the error has
 * another cause. `error` may be any value.
 */
export function explainWithheld(
  error: unknown,
  { withheldNames, hasTime }: WithheldSpec,
  denial: (permission: PermissionName, wanted: string) => Error,
): Error | undefined {
  const message = readMessage(error);
  // Lockdown removed the clock behind `date.constructor`.
  if (message.includes('%SharedDate%') && !hasTime) return denial('time', 'date.constructor');
  const name = findName(message, withheldNames);
  if (name === undefined) return undefined;
  const permission = permissionOf(name);
  return permission === undefined ? undefined : denial(permission, name);
}

/**
 * The value of a withheld name in bundled code, which the bundler's guard asks for. A function that
 * answers later rejects with the denial. Any other name throws it. `undefined` for a name that is
 * not withheld.
 */
export function standInFor(
  name: string,
  withheldNames: readonly string[],
  denial: (permission: PermissionName, wanted: string) => Error,
): unknown {
  const permission = withheldNames.includes(name) ? permissionOf(name) : undefined;
  if (permission === undefined) return undefined;
  if (!ASYNC.has(name)) throw denial(permission, name);
  return Object.freeze(async (target: unknown): Promise<never> => {
    const place = placeOf(target);
    const wanted = place === undefined ? name : `${name} ${place.slice(0, MAX_TARGET)}`;
    throw denial(permission, wanted);
  });
}

/** Global functions that return a promise. */
const ASYNC: ReadonlySet<string> = new Set(['fetch', 'readFile']);
/** Characters of a target in an event. */
const MAX_TARGET = 150;

/** A text, or that of a URL or a request. */
function placeOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (typeof target !== 'object' || target === null) return undefined;
  try {
    const [href, url]: readonly unknown[] = [
      Reflect.get(target, 'href'),
      Reflect.get(target, 'url'),
    ];
    if (typeof href === 'string') return href;
    return typeof url === 'string' ? url : undefined;
  } catch {
    // A getter of the plugin threw.
    return undefined;
  }
}

function permissionOf(name: string): PermissionName | undefined {
  return Object.values(endowments).find(({ globals }) => globals.includes(name))?.permission;
}

/** Explains the error of a file, a program or a connection that a plugin was denied, and did not handle. */
export function explainRefused(error: unknown): Error | undefined {
  try {
    if (!(error instanceof Error)) return undefined;
    const read = (key: string): unknown => Reflect.getOwnPropertyDescriptor(error, key)?.value;
    const [code, syscall, message] = [read('code'), read('syscall'), read('message')];
    const denied = denialOf(error);
    if (denied !== undefined) return withCode(new Error(String(message)), denied);
    if (code !== 'EACCES' || typeof syscall !== 'string') return undefined;
    if (syscall.startsWith('spawn')) return withCode(new Error(String(message)), 'BUILTIN_DENIED');
    // The files of a package that has none. No other refusal names this operation.
    if (syscall === 'access') return withCode(new Error(String(message)), 'FILESYSTEM_DENIED');
    const isOfNetwork = /^(?:connect|write|getaddrinfo|query\w*|reverse)$/.test(syscall);
    return isOfNetwork ? withCode(new Error(String(message)), 'NETWORK_DENIED') : undefined;
  } catch {
    // A Proxy's trap threw.
    return undefined;
  }
}

function readMessage(error: unknown): string {
  try {
    if (!(error instanceof TypeError || error instanceof ReferenceError)) return '';
    const message: unknown = Reflect.getOwnPropertyDescriptor(error, 'message')?.value;
    return typeof message === 'string' ? message : '';
  } catch {
    // A Proxy's trap or a getter threw: not an error of the language.
    return '';
  }
}

function findName(message: string, withheldNames: readonly string[]): string | undefined {
  const used = USED.exec(message)?.[1];
  if (used !== undefined) return withheldNames.find((name) => name === used);
  return undefined;
}

/** Generated code finds `undefined` for a missing global. Bundled code gets a ReferenceError. */
const USED =
  /^(?:\(0 ?, ?)?(?:globalThis\.|self\.)?([A-Za-z]+)\)? is not (?:defined|a function|a constructor)$/;
