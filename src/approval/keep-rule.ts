import type { Answer } from './approver.js';
import { caseOf, type Prepared } from './question.js';
import { fits } from './rule.js';
import type { RuleBook } from './rule-book.js';

/**
 * Keeps as a rule what somebody said for always. Tells its id, and nothing where it would not hold
 * for the very question that it comes from: whoever said it meant another rule.
 */
export function keepRule(
  question: Prepared,
  { input, reason, by }: Answer,
  rules: RuleBook,
  nowMs: number,
): string | undefined {
  const { plugin, tool, bundle, tenant } = question;
  const about = caseOf(question);
  const rule = {
    verdict: 'allow' as const,
    plugin,
    tool,
    bundle,
    ...(input === undefined ? {} : { input }),
    ...(about.effect === undefined ? {} : { effect: about.effect }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(reason === undefined ? {} : { reason }),
    ...(by === undefined ? {} : { by }),
    at: new Date(nowMs).toISOString(),
  };
  if (!fits({ id: 'tried', ...rule }, about, nowMs)) return undefined;
  try {
    return rules.add(rule).id;
  } catch {
    // It was approved; that it cannot be kept means that the next call asks again.
    return undefined;
  }
}
