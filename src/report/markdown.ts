import { visible } from '../visible.js';
import type { Finding, PermissionReport, PluginReport, Report } from './report.js';
import { duration, heldText, moment, plural, scopeText, useText } from './words.js';

/** The report as Markdown for a pull request or a wiki. */
export function renderMarkdown(report: Report): string {
  const { plugins, findings, log } = report;
  return `${[
    '# Permission audit',
    `${moment(report.madeAt)}, ${plural(plugins.length, 'plugin')}, ${plural(open(findings).length, 'open finding')}.`,
    log === null
      ? 'There is no audit log, so the use of permissions is unknown.'
      : `Log: ${code(log.file)}, ${plural(log.records, 'record')}, ${log.sound ? 'intact' : '**changed or incomplete**'}.`,
    '## Findings',
    findings.length === 0 ? 'None.' : findingTable(findings),
    ...plugins.flatMap((plugin) => pluginPart(plugin)),
  ].join('\n\n')}\n`;
}

function open(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ excepted }) => !excepted);
}

function findingTable(findings: readonly Finding[]): string {
  return table(
    ['Rule', 'Level', 'Finding', 'Fix', 'Place'],
    findings.map(({ rule, level, message, fix, place, exception, excepted }) => [
      rule,
      excepted ? `excepted until ${exception?.until ?? ''} (${exception?.owner ?? ''})` : level,
      message,
      fix,
      place === null ? '' : [place.file, place.line].filter((part) => part !== undefined).join(':'),
    ]),
  );
}

function pluginPart(plugin: PluginReport): string[] {
  const { permissions, packages, denied, tools, approvals, limits, ends, changes } = plugin;
  return [
    `## ${text(plugin.name)} (${code(plugin.id)})`,
    [plugin.format, plugin.version, plugin.state, plugin.confinement]
      .filter(Boolean)
      .map((one) => text(String(one)))
      .join(', '),
    ...(changes.length === 0 ? [] : [changes.map((change) => `- ${text(change)}`).join('\n')]),
    permissions.length === 0
      ? 'This plugin has no permissions.'
      : table(
          ['Permission', 'Declared', 'Granted', 'Used', 'Last'],
          permissions.map((permission) => [
            scopeText(permission),
            yes(permission.declared),
            yes(permission.granted),
            used(permission),
            permission.lastUsed === null ? '' : moment(permission.lastUsed),
          ]),
        ),
    ...(packages.length === 0
      ? []
      : [
          table(
            ['Package', 'Version', 'Holds', 'Denied attempts'],
            packages.map((one) => [one.path, one.version ?? '', heldText(one), String(one.denied)]),
          ),
        ]),
    ...(denied.length === 0
      ? []
      : [
          table(
            ['Denied', 'Times', 'Place', 'Last'],
            denied.map(({ kind, wanted, count, at, last, grantedSince }) => [
              `${kind} ${wanted}${grantedSince ? ' (granted since)' : ''}`,
              String(count),
              at ?? '',
              moment(last),
            ]),
          ),
        ]),
    ...(tools.length === 0
      ? []
      : [
          table(
            ['Tool', 'Declared risk', 'Risk', 'Calls', 'Failed', 'Median'],
            tools.map(({ tool, declaredRisk, risk, calls, failed, medianMs }) => [
              tool,
              declaredRisk ?? '',
              risk ?? '',
              String(calls),
              String(failed),
              medianMs === null ? '' : duration(medianMs),
            ]),
          ),
        ]),
    ...(approvals.asked === 0
      ? []
      : [
          `Approvals: ${approvals.asked} requested, ${approvals.given} given, ${approvals.refused} denied; ${approvals.medianWaitMs === null ? 'no person answered' : `people took ${duration(approvals.medianWaitMs)} in the median`}. At most ${approvals.busiestHour} within an hour.${approvals.saver === null ? '' : ` A rule for ${code(approvals.saver.tool)} would have saved up to ${approvals.saver.questions} answers.`}`,
        ]),
    ...[...limits, ...ends].map(
      ({ what, count, last }) => `- ${text(what)}: ${count} (last ${moment(last)})`,
    ),
  ];
}

function used(permission: PermissionReport): string {
  return useText(permission);
}

function yes(flag: boolean): string {
  return flag ? 'yes' : 'no';
}

function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(text).join(' | ')} |`;
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Escapes untrusted text: it cannot become a link, an image, a tag or another cell. */
function text(value: string): string {
  return value === '---'
    ? value
    : visible(value)
        .replaceAll(/[\\`*_{}[\]()#+!|<>~&]/g, (character) =>
          character === '<' ? '&lt;' : character === '>' ? '&gt;' : `\\${character}`,
        )
        // Many renderers turn bare URLs into links, and names after an @ into mentions.
        // guard: markdown-links-escaped
        .replaceAll(/:(?=\/\/)|(?<=\bwww)\./gi, (character) => `\\${character}`)
        .replaceAll('@', '@<!-- -->');
}

function code(value: string): string {
  return `\`${visible(value).replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}
