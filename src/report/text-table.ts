import { visible } from '../visible.js';
import type { Report } from './report.js';
import { moment, plural, scopeText, useText } from './words.js';

/** The report for a terminal, as rows: each part with its heading. */
export interface TextPart {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

export function textParts(report: Report): TextPart[] {
  const { plugins, findings } = report;
  const open = findings.filter(({ excepted }) => !excepted);
  return [
    {
      title: 'permissions',
      rows: [
        ['plugin', 'permission', 'declared', 'granted', 'used', 'last use'],
        ...plugins.flatMap((plugin) =>
          plugin.permissions.length === 0
            ? [[visible(plugin.id), 'none', '', '', '', '']]
            : plugin.permissions.map((permission) => [
                visible(plugin.id),
                visible(scopeText(permission)),
                permission.declared ? 'yes' : 'no',
                permission.granted ? 'yes' : 'no',
                useText(permission),
                permission.lastUsed === null ? '' : moment(permission.lastUsed),
              ]),
        ),
      ],
    },
    {
      title: `${plural(open.length, 'finding')}${open.length < findings.length ? `, and ${findings.length - open.length} excepted` : ''}`,
      rows:
        open.length === 0
          ? []
          : [
              ['rule', 'level', 'what'],
              ...open.map(({ rule, level, message, fix }) => [
                rule,
                level,
                visible(`${message} ${fix}`),
              ]),
            ],
    },
  ];
}
