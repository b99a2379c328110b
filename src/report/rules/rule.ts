import type { Finding, PluginReport, RuleName } from '../report.js';

/** What a rule finds in one plugin. */
export type FoundBy = Omit<Finding, 'rule' | 'plugin' | 'exception' | 'excepted'>;

export interface RuleContext {
  readonly plugin: PluginReport;
  /** The file in which its author declares permissions. */
  readonly manifest: string;
  /** What it asks for or was given since the last report, or since its last update. */
  readonly wider: readonly string[];
  /** Whether there is a lock file. */
  readonly locked: boolean;
  readonly nowMs: number;
  /** A permission that was not used for so long is not needed. */
  readonly unusedAfterMs: number;
}

export interface Rule {
  readonly name: RuleName;
  /** One sentence: what it looks for, and why that matters. */
  readonly about: string;
  find(context: RuleContext): readonly FoundBy[];
}
