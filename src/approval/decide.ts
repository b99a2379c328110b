import type { RiskBand } from '../plugin/risk.js';
import { fits, type Rule, type RuleCase, specificity } from './rule.js';

export interface Decision {
  readonly verdict: Rule['verdict'];
  readonly rule: Rule;
}

/**
 * What the rules say of a case: any that denies wins, then any that asks, then one that allows; of
 * several with one verdict the most specific is named. Nothing allows what is of high risk, which
 * somebody has to see each time.
 */
export function decide(
  rules: readonly Rule[],
  about: RuleCase,
  risk: RiskBand,
  nowMs: number,
): Decision | undefined {
  const fitting = rules.filter((rule) => fits(rule, about, nowMs));
  for (const verdict of ['deny', 'ask', 'allow'] as const) {
    if (verdict === 'allow' && risk === 'high') return undefined;
    const [rule] = fitting
      .filter((one) => one.verdict === verdict)
      .toSorted((a, b) => specificity(b) - specificity(a));
    if (rule !== undefined) return { verdict, rule };
  }
  return undefined;
}
