import { fingerprintsOf, locationsOf, plainText, sarifLog } from '../report/sarif-log.js';
import type { PluginCheck } from './check-plugin.js';
import { type CheckFinding, checkRules } from './finding.js';

const names = Object.keys(checkRules);

/** The findings as SARIF 2.1.0. `base`: the directory that paths are relative to. */
export function renderCheckSarif(
  checks: readonly PluginCheck[],
  { version, base }: { readonly version: string; readonly base: string },
): string {
  const rules = Object.entries(checkRules).map(([id, text]) => ({
    id,
    shortDescription: { text },
  }));
  return sarifLog(
    { name: 'bulkhead check', version, rules, of: 'the check' },
    checks.flatMap((check) => check.findings.map((finding) => resultOf(finding, check, base))),
  );
}

function resultOf(
  { rule, level, message, fix, file, line, column }: CheckFinding,
  { plugin, directory }: PluginCheck,
  base: string,
): object {
  const name = plugin ?? directory;
  return {
    ruleId: rule,
    ruleIndex: names.indexOf(rule),
    level,
    message: { text: plainText(fix === undefined ? message : `${message} ${fix}`) },
    partialFingerprints: fingerprintsOf([rule, name, message]),
    ...(file === undefined
      ? {}
      : { locations: locationsOf({ file, line, column }, name, directory, base) }),
  };
}
