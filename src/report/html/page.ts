import { createHash } from 'node:crypto';
import type { Finding, PluginReport, Report } from '../report.js';
import { moment, plural } from '../words.js';
import { STRIPES } from './bars.js';
import { html, Markup, said } from './markup.js';
import { pluginCard } from './plugin.js';
import { STYLE } from './style.js';
import { table } from './tables.js';

/** The report as one file of HTML: no script, nothing that is fetched, and a policy that says so. */
export function renderHtml(report: Report): string {
  const { findings, period } = report;
  const open = findings.filter(({ excepted }) => !excepted);
  const plugins = gravestFirst(report.plugins, open);
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
              What ${plural(plugins.length, 'plugin')} may do and
              did${period.from !== null && html` between <strong>${moment(period.from)}</strong> and <strong>${moment(period.to)}</strong> (UTC)`}.
            </p>
            ${tiles(report, open)} ${logLine(report)}
          </header>
          <main id="main">
            ${overview(plugins, open)}
            ${plugins.map((plugin, index) =>
              pluginCard(
                plugin,
                findings.filter((one) => one.plugin === plugin.id),
                `plugin-${index + 1}`,
              ),
            )}
          </main>
          <footer>
            <p>
              Made ${moment(report.madeAt)} (UTC) by Bulkhead. Clocks, randomness and variables are
              used inside a plugin’s own process, where the host does not see it. Names and texts of
              plugins are their authors’ words.
            </p>
          </footer>
        </div>
      </body>
    </html> `;
  return page.text;
}

/** To the byte what the policy's hash is over. */
const STYLE_ELEMENT = new Markup(`<style>${STYLE}</style>`);

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

function headline(plugins: readonly PluginReport[], open: readonly Finding[]): string {
  const grave = open.filter(({ level }) => level === 'error').length;
  if (plugins.length === 0) return 'There are no plugins';
  if (open.length === 0) return 'Nothing to look at';
  return grave > 0
    ? `${plural(grave, 'thing')} to look at now`
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
    ${tile('Refused attempts', refused, refused === '0' ? '' : 'bad')}
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
    return html`<p class="log">There is no audit log: nothing is known of what they did.</p>`;
  const { file, records, sound, notes } = log;
  return html`<p class="log">
    <span class="pill ${sound ? 'good' : 'bad'}">${sound ? 'Log sound' : 'Log broken'}</span>
    ${plural(records, 'record')} in
    <code>${said(file)}</code>.${notes.map((note) => html` ${said(note)}.`)}
  </p>`;
}

function overview(plugins: readonly PluginReport[], open: readonly Finding[]): Markup {
  if (plugins.length < 2) return html``;
  return html`<section class="card" aria-labelledby="overview">
    <h2 id="overview">At a glance</h2>
    ${table(
      'Every plugin of this report',
      [
        {
          title: 'Plugin',
          as: 'head',
          cell: (plugin) =>
            html`<a href="#plugin-${plugins.indexOf(plugin) + 1}">${said(plugin.name)}</a>`,
        },
        { title: 'May reach', as: 'wrap', cell: (plugin) => said(reachText(plugin)) },
        {
          title: 'Calls',
          as: 'num',
          cell: ({ tools }) => String(tools.reduce((sum, { calls }) => sum + calls, 0)),
        },
        {
          title: 'Unused',
          as: 'num',
          cell: ({ permissions }) =>
            String(
              permissions.filter(({ granted, observed, uses }) => granted && observed && uses === 0)
                .length,
            ),
        },
        {
          title: 'Refused',
          as: 'num',
          cell: ({ denied }) => String(denied.reduce((sum, { count }) => sum + count, 0)),
        },
        {
          title: 'Findings',
          as: 'num',
          cell: ({ id }) => String(open.filter(({ plugin }) => plugin === id).length),
        },
      ],
      plugins,
    )}
  </section>`;
}

function reachText({ permissions, confinement }: PluginReport): string {
  if (confinement === 'host') return 'everything: it is unconfined';
  const kinds = [...new Set(permissions.filter(({ granted }) => granted).map(({ kind }) => kind))];
  return kinds.length === 0 ? 'nothing' : kinds.join(', ');
}

/** Whoever reads from the top meets first what wants an answer. */
function gravestFirst(
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
