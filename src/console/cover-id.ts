import { hash } from '../hash.js';
import type { InputConditions } from '../approval/scope.js';
import { canonicalJson } from '../canonical.js';

/** Identifies the conditions that a page showed, so that an answer stores no others. */
export function coverId(input: InputConditions | undefined): string {
  return hash('sha256', canonicalJson(input ?? null), 'hex').slice(0, 32);
}
