import type { PermissionName } from './denial.js';
import { endowments } from './table.js';

/**
 * Says why a plugin failed where it failed because a global is absent: JavaScript's own words for
 * that (`fetch is not a function`) name no permission. Gives the denial for it, or `undefined`
 * where the error has another cause. `error` may be anything that a plugin throws.
 */
export function explainWithheld(
  error: unknown,
  withheldNames: readonly string[],
  denial: (permission: PermissionName, wanted: string) => Error,
): Error | undefined {
  const name = findName(readMessage(error), withheldNames);
  if (name === undefined) return undefined;
  const permission = Object.values(endowments).find(({ globals }) =>
    globals.includes(name),
  )?.permission;
  return permission === undefined ? undefined : denial(permission, name);
}

function readMessage(error: unknown): string {
  try {
    if (!(error instanceof TypeError || error instanceof ReferenceError)) return '';
    const message: unknown = Reflect.getOwnPropertyDescriptor(error, 'message')?.value;
    return typeof message === 'string' ? message : '';
  } catch {
    // A Proxy's trap, or a getter: no error that the language made.
    return '';
  }
}

function findName(message: string, withheldNames: readonly string[]): string | undefined {
  const used = USED.exec(message)?.[1];
  if (used !== undefined) return withheldNames.find((name) => name === used);
  const read = READ.exec(message)?.[1];
  // Members that nothing else is likely to have; `env.get` could be any `get` of the plugin's.
  if (read !== undefined && INTL_MEMBERS.has(read)) {
    return withheldNames.find((name) => name === 'Intl');
  }
  // The clock behind `date.constructor`, which lockdown took out.
  if (message.includes('%SharedDate%')) return withheldNames.find((name) => name === 'performance');
  return undefined;
}

/** In a compartment a global that does not exist is `undefined`, and no ReferenceError. */
const USED =
  /^(?:\(0 ?, ?)?(?:globalThis\.|self\.)?([A-Za-z]+)\)? is not (?:defined|a function|a constructor)$/;

const READ = /^Cannot read properties of undefined \(reading '(\w+)'\)$/;

const INTL_MEMBERS = new Set([
  'Collator',
  'DateTimeFormat',
  'DisplayNames',
  'ListFormat',
  'Locale',
  'NumberFormat',
  'PluralRules',
  'RelativeTimeFormat',
  'Segmenter',
  'getCanonicalLocales',
  'supportedValuesOf',
]);
