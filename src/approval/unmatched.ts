import { didYouMean } from '../did-you-mean.js';
import { matchesName, type Rule } from './rule.js';

/** A tool that rules may match. */
interface Installed {
  readonly name: string;
  readonly plugin: string;
  readonly tool: string;
  /** `plugin:tool`. */
  readonly id: string;
}

/** A rule that matches no installed tool, and the tool that its author may have meant. */
export interface UnmatchedRule {
  readonly rule: Rule;
  /** `plugin:tool`. */
  readonly meant?: string;
}

/** The rules that match no installed tool: by a typing error, or because the plugin was removed. */
export function unmatchedRules(
  rules: readonly Rule[],
  installed: readonly Installed[],
): UnmatchedRule[] {
  return rules.flatMap((rule) => {
    const { plugin, tool } = rule;
    // guard: rule-without-tool-found
    if (installed.some((one) => matchesName(plugin, one.plugin) && matchesName(tool, one.tool)))
      return [];
    const exported = installed.find(({ name }) => name === tool)?.id;
    const ids = installed.map(({ id }) => id);
    const meant = exported ?? didYouMean(`${plugin}:${tool}`, ids);
    return [{ rule, ...(meant === undefined ? {} : { meant }) }];
  });
}

/** `r-1 (p1:ecco; did you mean p1:echo?)`. Escape it for display. */
export function formatUnmatched({ rule, meant }: UnmatchedRule): string {
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `${rule.id} (${rule.plugin}:${rule.tool}${hint})`;
}
