import type { Finding, RuleName } from './report.js';
import { rules } from './rules.js';

/** Findings with one cause: one rule and one level. */
export interface FindingGroup {
  readonly rule: RuleName;
  readonly level: Finding['level'];
  /** One sentence: what the rule finds, and why it matters. */
  readonly about: string;
  readonly findings: readonly Finding[];
}

const LEVELS: readonly Finding['level'][] = ['error', 'warning', 'note'];

/** Sorts findings: open ones first, then by level, by rule, and by plugin. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    (a, b) =>
      Number(a.excepted) - Number(b.excepted) ||
      LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) ||
      rankOf(a.rule) - rankOf(b.rule) ||
      compareText(a.plugin, b.plugin),
  );
}

/** Groups findings by cause, the most serious cause first. */
export function groupFindings(findings: readonly Finding[]): FindingGroup[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of sortFindings(findings)) {
    const key = `${finding.level} ${finding.rule}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { rule, level } = first;
    const about = rules.find(({ name }) => name === rule)?.about ?? '';
    return [{ rule, level, about, findings: group }];
  });
}

function rankOf(rule: RuleName): number {
  return rules.findIndex(({ name }) => name === rule);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
