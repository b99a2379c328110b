import { createHash } from 'node:crypto';
import type { Finding, PluginReport, Report } from '../report.js';
import { moment, plural } from '../words.js';
import { STRIPES } from './activity-chart.js';
import { Markup, html, said } from './markup.js';
import { type Anchors, findingSummary } from './findings.js';
import { pluginCard } from './plugin.js';
import { STYLE } from './style.js';

/** Renders the report as one HTML file without scripts. Its policy forbids requests. */
export function renderHtml(report: Report): string {
  const { findings, period } = report;
  const open = findings.filter(({ excepted }) => !excepted);
  const plugins = mostSeriousFirst(report.plugins, open);
  const anchors: Anchors = new Map(
    findings.map((finding, index) => [finding, `finding-${index + 1}`]),
  );
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>Permission audit, ${moment(report.madeAt)}</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <a class="skip" href="#main">To the report</a>
        ${STRIPES}
        <div class="page">
          <header class="top">
            <p class="eyebrow">Bulkhead · permission audit</p>
            <h1>${headline(plugins, open)}</h1>
            <p class="lead">
              The permissions of ${plural(plugins.length, 'plugin')}, and their
              use${period.from !== null && html` between <strong>${moment(period.from)}</strong> and <strong>${moment(period.to)}</strong> (UTC)`}.
            </p>
            ${tiles(report, open)} ${logLine(report)}
          </header>
          <main id="main">
            ${findingSummary(open, anchors)}
            ${plugins.map((plugin, index) =>
              pluginCard(plugin, {
                id: `plugin-${index + 1}`,
                findings: findings.filter((one) => one.plugin === plugin.id),
                anchors,
                // A report of one plugin is about that plugin.
                open: plugins.length === 1,
              }),
            )}
          </main>
          <footer>
            <p>
              Created ${moment(report.madeAt)} (UTC) by Bulkhead. A plugin uses the clock,
              randomness and variables inside its own process, so the host does not observe these
              uses. Names and texts of plugins are their authors’ words.
            </p>
          </footer>
        </div>
      </body>
    </html> `;
  return page.text;
}

/** The policy contains the hash of exactly this text. */
const STYLE_ELEMENT = new Markup(`<style>${STYLE}</style>`);

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

function headline(plugins: readonly PluginReport[], open: readonly Finding[]): string {
  const serious = open.filter(({ level }) => level === 'error').length;
  if (plugins.length === 0) return 'There are no plugins';
  if (open.length === 0) return 'Nothing to look at';
  return serious > 0
    ? `${plural(serious, 'thing')} to look at now`
    : `${plural(open.length, 'thing')} to look at`;
}

function tiles({ plugins }: Report, open: readonly Finding[]): Markup {
  const total = (count: (plugin: PluginReport) => number): string =>
    plugins.reduce((sum, plugin) => sum + count(plugin), 0).toLocaleString('en');
  const refused = total(({ denied }) => denied.reduce((sum, { count }) => sum + count, 0));
  return html`<dl class="tiles">
    ${tile('Plugins', String(plugins.length), '')}
    ${tile(
      'Calls',
      total(({ tools }) => tools.reduce((sum, { calls }) => sum + calls, 0)),
      '',
    )}
    ${tile(
      'Uses',
      total(({ permissions }) => permissions.reduce((sum, { uses }) => sum + uses, 0)),
      '',
    )}
    ${tile('Denied attempts', refused, refused === '0' ? '' : 'bad')}
    ${tile('Open findings', String(open.length), open.length === 0 ? '' : 'warn')}
  </dl>`;
}

function tile(name: string, value: string, tone: string): Markup {
  return html`<div class="tile ${tone}">
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function logLine({ log }: Report): Markup {
  if (log === null)
    return html`<p class="log">There is no audit log, so the use of permissions is unknown.</p>`;
  const { file, records, sound, notes } = log;
  return html`<p class="log">
    <span class="pill ${sound ? 'good' : 'bad'}"
      >${sound ? 'Log intact' : 'Log changed or incomplete'}</span
    >
    ${plural(records, 'record')} in
    <code>${said(file)}</code>.${notes.map((note) => html` ${said(note)}.`)}
  </p>`;
}

function mostSeriousFirst(
  plugins: readonly PluginReport[],
  open: readonly Finding[],
): readonly PluginReport[] {
  const count = (id: string, level: Finding['level']): number =>
    open.filter((finding) => finding.plugin === id && finding.level === level).length;
  return plugins.toSorted(
    (a, b) =>
      count(b.id, 'error') - count(a.id, 'error') ||
      count(b.id, 'warning') - count(a.id, 'warning'),
  );
}
