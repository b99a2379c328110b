import type { PluginCheck } from './check-plugin.js';
import type { CheckLevel, CheckRule } from './finding.js';

/** What a check looks at. `publication`: the pack and the lock file. */
export type CheckPart = 'manifest' | 'code' | 'permissions' | 'tools' | 'publication';

/** The result of one part of a check: the worst level of its findings. */
export interface Score {
  readonly part: CheckPart;
  readonly result: CheckLevel | 'ok' | 'not-checked';
}

/** The part of each rule. */
const PARTS: Readonly<Record<CheckRule, CheckPart>> = {
  manifest: 'manifest',
  'manifest-key': 'manifest',
  version: 'manifest',
  build: 'code',
  load: 'code',
  absent: 'code',
  'permission-missing': 'permissions',
  'permission-unused': 'permissions',
  inactive: 'tools',
  schema: 'tools',
  'tool-name': 'tools',
  'tool-text': 'tools',
  'tool-cost': 'tools',
  pack: 'publication',
  lock: 'publication',
};

const WORST_FIRST = ['error', 'warning', 'note'] as const;

/**
 * How a plugin does in each part. Code, permissions and tools count as checked only if the plugin
 * loads. Empty if only its lock file was compared.
 */
export function scorecardOf({ findings, inspected }: PluginCheck): readonly Score[] {
  if (inspected === undefined && findings.every(({ rule }) => PARTS[rule] === 'publication')) {
    return [];
  }
  // A mistake in a tool that can be called is a warning.
  const isBroken = findings.some(
    ({ rule, level }) => (rule === 'build' || rule === 'load') && level !== 'warning',
  );
  return [...new Set(Object.values(PARTS))].map((part) => {
    const own = findings.filter(({ rule }) => PARTS[rule] === part);
    const worst = WORST_FIRST.find((level) => own.some((finding) => finding.level === level));
    const isChecked = (inspected !== undefined && !isBroken) || part === 'manifest';
    return { part, result: worst ?? (isChecked ? 'ok' : 'not-checked') };
  });
}
