import type { FailureCode } from '../failure.js';
import type { Explanation } from './explanation.js';
import { callCodes } from './calls.js';
import { guestCodes } from './guests.js';
import { hookCodes } from './hooks.js';
import { hostCodes } from './host.js';
import { permissionCodes } from './permissions.js';
import { pluginCodes } from './plugins.js';
import { remoteCodes } from './remotes.js';

/** The codes by area, in the order in which they are listed. */
export const areas: Readonly<Record<string, Partial<Record<FailureCode, Explanation>>>> = {
  'calling Bulkhead': hostCodes,
  'reading a plugin': pluginCodes,
  permissions: permissionCodes,
  calls: callCodes,
  'tools that run elsewhere': remoteCodes,
  hooks: hookCodes,
  'guest processes': guestCodes,
};

// Every code has its explanation, or this does not compile.
const explanations: Readonly<Record<FailureCode, Explanation>> = {
  ...hostCodes,
  ...pluginCodes,
  ...permissionCodes,
  ...callCodes,
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
