import type { RuleName } from '../report.js';
import { deniedAttempt, hostMode, riskUnderstated, unpinned } from './conduct.js';
import { exfilPair, unused, updateWidens, wide } from './permissions.js';
import type { Rule } from './rule.js';

/** Every rule, the gravest first. */
export const rules: readonly Rule[] = [
  hostMode,
  deniedAttempt,
  exfilPair,
  updateWidens,
  wide,
  unused,
  unpinned,
  riskUnderstated,
];

export function isRuleName(text: string): text is RuleName {
  return rules.some(({ name }) => name === text);
}
