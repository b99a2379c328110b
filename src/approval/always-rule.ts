import type { Answer } from './approver.js';
import { type Prepared, caseOf } from './question.js';
import { fits } from './rule.js';
import type { RuleBook } from './rule-book.js';

/**
 * Stores an `always` as a rule and returns its id. Returns `undefined` if the rule does not match its
 * own question: then the approver meant another rule.
 */
export function storeRule(
  question: Prepared,
  { input, withoutSecrets, until, reason, by }: Answer,
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
    ...(withoutSecrets === undefined ? {} : { withoutSecrets }),
    ...(until === undefined ? {} : { until }),
    ...(reason === undefined ? {} : { reason }),
    ...(by === undefined ? {} : { by }),
    at: new Date(nowMs).toISOString(),
  };
  // A plugin whose tool is named "*" would get a rule for all of its tools.
  // guard: always-rule-without-wildcard
  if (plugin.includes('*') || tool.includes('*')) return undefined;
  if (!fits({ id: 'tried', ...rule }, about, nowMs)) return undefined;
  try {
    return rules.add(rule).id;
  } catch {
    // The call was approved. The rule cannot be stored, so the next call needs approval again.
    return undefined;
  }
}
