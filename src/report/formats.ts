import { jsonLines, visible } from '../visible.js';
import { type FindingGroup, groupFindings } from './finding-groups.js';
import { renderHtml } from './html/page.js';
import { renderMarkdown } from './markdown.js';
import type { RenderContext, Report } from './report.js';
import { renderSarif } from './sarif.js';
import { moment, plural, scopeText, useText } from './words.js';

/** The formats of a report, with their file names. */
export const reportFormats: Readonly<Record<ReportFormat, Renderer>> = {
  json: { file: 'report.json', render: (report) => `${jsonLines(report)}\n` },
  md: { file: 'report.md', render: renderMarkdown },
  sarif: { file: 'report.sarif', render: renderSarif },
  html: { file: 'report.html', render: renderHtml },
};

export type ReportFormat = 'json' | 'md' | 'sarif' | 'html';

export interface Renderer {
  readonly file: string;
  readonly render: (report: Report, context?: RenderContext) => string;
}

/** One part of the report as a table for a terminal. */
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
          : [['level', 'rule', 'finding'], ...groupFindings(open).flatMap(rowsOf)],
    },
  ];
}

/** Findings of one cause that a terminal shows. */
const SHOWN = 5;

function rowsOf({ level, rule, findings }: FindingGroup): string[][] {
  const shown = findings.length <= SHOWN + 1 ? findings : findings.slice(0, SHOWN);
  const more = findings.length - shown.length;
  return [
    ...shown.map(({ message, fix }) => [level, rule, visible(`${message} ${fix}`)]),
    ...(more === 0 ? [] : [[level, rule, `and ${more} more with this cause; --json lists all`]]),
  ];
}
