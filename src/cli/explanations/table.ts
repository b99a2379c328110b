import type { FailureCode } from '../failure.js';
import { callCodes, fleetCodes, guestCodes, hookCodes, remoteCodes } from './calls.js';
import { permissionCodes } from './permissions.js';
import { hostCodes, pluginCodes } from './plugins.js';

/** The codes by area, in the order in which they are listed. */
export const areas: Readonly<Record<string, Partial<Record<FailureCode, Explanation>>>> = {
  'usage of Bulkhead': hostCodes,
  plugins: pluginCodes,
  permissions: permissionCodes,
  calls: callCodes,
  fleets: fleetCodes,
  'tool servers': remoteCodes,
  hooks: hookCodes,
  'guest processes': guestCodes,
};

// A code without an explanation does not compile.
const explanations: Readonly<Record<FailureCode, Explanation>> = {
  ...hostCodes,
  ...pluginCodes,
  ...permissionCodes,
  ...callCodes,
  ...fleetCodes,
  ...remoteCodes,
  ...hookCodes,
  ...guestCodes,
};

export function explanationOf(code: FailureCode): Explanation {
  return explanations[code];
}

export function isFailureCode(text: string): text is FailureCode {
  return Object.hasOwn(explanations, text);
}

/** The explanation of an error code. */
export interface Explanation {
  /** A few words for the heading of an error. */
  readonly title: string;
  readonly meaning: string;
  /** How to fix it. */
  readonly remedy: string;
}
