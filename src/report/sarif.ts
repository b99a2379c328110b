import type { Finding, PluginReport, RenderContext, Report } from './report.js';
import { rules } from './rules.js';
import { fingerprintsOf, locationsOf, plainText, sarifLog } from './sarif-log.js';

/** The report's findings as SARIF 2.1.0, each at its place in the plugin's sources or manifest. */
export function renderSarif(report: Report, { version, base }: RenderContext = {}): string {
  const described = rules.map(({ name, about }) => ({
    id: name,
    shortDescription: { text: about },
    help: { text: `${about} See docs/report.md, ${name}.` },
  }));
  return sarifLog(
    { name: 'bulkhead', version, rules: described, of: 'the report' },
    report.findings.map((finding) => resultOf(finding, report.plugins, base)),
  );
}

function resultOf(
  finding: Finding,
  plugins: readonly PluginReport[],
  base: string | undefined,
): object {
  const { rule, level, message, fix, plugin, subject, place, exception, excepted } = finding;
  const { directory = null } = plugins.find(({ id }) => id === plugin) ?? {};
  return {
    ruleId: rule,
    ruleIndex: rules.findIndex(({ name }) => name === rule),
    level,
    // guard: sarif-text-plain
    message: { text: plainText(`${message} ${fix}`) },
    partialFingerprints: fingerprintsOf([rule, plugin, subject]),
    ...(place === null ? {} : { locations: locationsOf(place, plugin, directory, base) }),
    ...(exception === null || !excepted
      ? {}
      : {
          suppressions: [
            {
              kind: 'external',
              status: 'accepted',
              justification: `${exception.reason} (${exception.owner}, until ${exception.until})`,
            },
          ],
        }),
  };
}
