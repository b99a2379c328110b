/** How serious a finding is: the plugin does not work; it probably does not; good to know. */
export type CheckLevel = 'error' | 'warning' | 'note';

/** A mistake in a plugin, found without calling its tools. */
export interface CheckFinding {
  readonly rule: CheckRule;
  readonly level: CheckLevel;
  /** What is wrong, as a sentence. */
  readonly message: string;
  /** The edit that mends it, as a sentence. */
  readonly fix?: string;
  /** Relative to the plugin's directory. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
}

/** The rules, as SARIF and `bulkhead check` name them. */
export const checkRules = {
  manifest: 'The manifest must be valid.',
  'manifest-key': 'A key of the manifest that nothing reads is usually misspelt.',
  version: 'A plugin needs a version, so that updates can be told apart.',
  build: 'The code must build.',
  load: 'The code must load, and its tools must be usable.',
  inactive: 'A plugin may need configuration before its tools exist.',
  schema: 'The schema of a tool must be usable.',
  'permission-missing': 'The code uses something that the manifest does not request.',
  'permission-unused': 'The manifest requests something that the code does not use.',
  absent: 'The code uses something that plugins do not have.',
  'tool-name': 'A model must accept the names of tools.',
  'tool-text': 'The texts of a tool must say what it does, and nothing else.',
  'tool-cost': 'Every turn of a model pays for the description and the schema of each tool.',
  pack: 'The pack must be as new as the sources.',
  lock: 'The plugin must be as accepted in the lock file.',
} as const;

export type CheckRule = keyof typeof checkRules;
