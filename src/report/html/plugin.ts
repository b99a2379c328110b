import type { Finding, PackageReport, PermissionReport, PluginReport } from '../report.js';
import { duration, heldText, moment, plural, useText } from '../words.js';
import { accessDiagram } from './access-diagram.js';
import { activityChart } from './activity-chart.js';
import { type Anchors, pluginFindings } from './findings.js';
import { Markup, html, said, table } from './markup.js';

export interface CardSpec {
  /** The card's anchor in the page. No text of the plugin is part of it. */
  readonly id: string;
  readonly findings: readonly Finding[];
  readonly anchors: Anchors;
  /** Whether the card is unfolded. */
  readonly open: boolean;
}

/** The report of one plugin: a summary line, and the details folded below it. */
export function pluginCard(
  plugin: PluginReport,
  { id, findings, anchors, open }: CardSpec,
): Markup {
  const { name, changes } = plugin;
  return html`<details class="card plugin" id="${id}" ${open && new Markup(' open')}>
    <summary>
      <h2>${said(name)}</h2>
      <span class="meta">${state(plugin)} ${levels(findings)}</span>
      <span class="meta">${summaryOf(plugin)}</span>
    </summary>
    <div class="body">
      <p class="meta">${identity(plugin)}</p>
      ${
        changes.length > 0 &&
        html`<ul class="changes">
          ${changes.map((change) => html`<li>${change}</li>`)}
        </ul>`
      }
      ${accessDiagram(plugin, `${id}-p`)}
      ${
        findings.length > 0 &&
        html`<h3>Findings</h3>
          ${pluginFindings(findings, anchors)}`
      }
      <h3>Permissions</h3>
      ${permissionTable(plugin)}
      ${
        plugin.packages.length > 0 &&
        html`<h3>Packages</h3>
          ${packageTable(plugin)}`
      }
      ${
        plugin.denied.length > 0 &&
        html`<h3>Denied attempts</h3>
          ${deniedTable(plugin)}`
      }
      <h3>Use over time</h3>
      ${activityChart(plugin.activity, `${id}-c`)}
      ${
        plugin.tools.length > 0 &&
        html`<h3>Tools</h3>
          ${toolTable(plugin)}`
      }
      ${more(plugin)}
    </div>
  </details>`;
}

/** What it may reach and what it did, in one line. */
function summaryOf({ permissions, confinement, tools, denied }: PluginReport): Markup {
  const kinds = new Set(permissions.filter(({ granted }) => granted).map(({ kind }) => kind));
  const reach = confinement === 'host' ? 'everything' : [...kinds].join(', ') || 'nothing';
  const calls = tools.reduce((sum, one) => sum + one.calls, 0);
  const attempts = denied.reduce((sum, { count }) => sum + count, 0);
  return html`may reach ${reach} ·
  ${plural(calls, 'call')}${attempts > 0 && html` · <span class="is-bad">${plural(attempts, 'denied attempt')}</span>`}`;
}

/** The number of open findings of each level. */
function levels(findings: readonly Finding[]): Markup {
  const count = (level: Finding['level']): number =>
    findings.filter((one) => !one.excepted && one.level === level).length;
  const [errors, warnings, notes] = [count('error'), count('warning'), count('note')];
  return html`${errors > 0 && html`<span class="pill bad">${errors} to look at now</span>`}
  ${warnings > 0 && html`<span class="pill warn">${warnings} to look at</span>`}
  ${notes > 0 && html`<span class="pill">${plural(notes, 'note')}</span>`}`;
}

const CONFINED = {
  compartment: { colour: 'good', words: 'confined' },
  host: { colour: 'bad', words: 'not confined' },
  remote: { colour: 'warn', words: 'runs elsewhere' },
  'sandbox-runtime': { colour: 'warn', words: 'confined by sandbox-runtime' },
} as const;

function state({ state: word, confinement, pin }: PluginReport): Markup {
  return html`<span class="pill ${word === 'active' ? 'good' : 'warn'}">${word}</span>
    <span class="pill ${CONFINED[confinement].colour}">${CONFINED[confinement].words}</span>
    <span class="pill ${pin?.current === true ? 'good' : 'warn'}"
      >${pin === null ? 'not pinned' : pin.current ? 'pinned' : 'changed since it was pinned'}</span
    >`;
}

function identity({ id, format, version, bundles, pin }: PluginReport): Markup {
  const artifact = pin?.current === true ? pin.artifact : null;
  const hashes = artifact === null ? Object.values(bundles) : [artifact];
  return html`<code>${said(id)}</code
    >${version !== null && html` ${said(version)}`}${format !== null && html` · ${format}`}
    ${hashes.map((hash) => html` · <code>${hash.slice(0, 22)}…</code>`)}
    ${pin !== null && pin.at !== null && html` · pinned ${moment(pin.at)}${pin.by !== null && html` by ${said(pin.by)}`}`}`;
}

function permissionTable({ permissions }: PluginReport): Markup {
  if (permissions.length === 0) return html`<p class="muted">It has no permissions.</p>`;
  return table<PermissionReport>(
    'Permissions: declared, granted, and used as far as the host observes it',
    [
      {
        title: 'Permission',
        as: 'head',
        cell: ({ kind, scope }) =>
          html`${kind} ${scope !== 'true' && html`<code>${said(scope)}</code>`}`,
      },
      { title: 'In words', as: 'wrap', cell: ({ sentence }) => sentence },
      { title: 'Declared', cell: ({ declared }) => (declared ? 'yes' : 'no') },
      {
        title: 'Granted',
        cell: ({ granted }) => (granted ? 'yes' : html`<span class="muted">no</span>`),
      },
      { title: 'Used', as: 'when', cell: used },
      {
        title: 'Last',
        as: 'when',
        cell: ({ lastUsed }) => (lastUsed === null ? '' : moment(lastUsed)),
      },
    ],
    permissions,
  );
}

function used(permission: PermissionReport): Markup {
  const text = useText(permission);
  return html`<span
    class="${text === 'never' ? 'is-warn' : permission.uses > 0 ? 'is-good' : 'muted'}"
    >${text}</span
  >`;
}

function packageTable({ packages }: PluginReport): Markup {
  const idle = packages.filter(isIdle);
  return html`${table(
    'npm packages in compartments of their own, and the permissions that they hold',
    [
      { title: 'Package', as: 'head', cell: ({ path }) => html`<code>${said(path)}</code>` },
      { title: 'Version', cell: ({ version }) => said(version ?? '') },
      {
        title: 'Holds',
        as: 'wrap',
        cell: (one) =>
          html`<span class="${one.together ? 'is-bad' : ''}">${said(heldText(one))}</span>`,
      },
      { title: 'Denied attempts', as: 'num', cell: ({ denied }) => String(denied) },
    ],
    packages.filter((one) => !isIdle(one)),
  )}${idle.length > 0 && html`<p class="muted">${plural(idle.length, 'package')} with nothing.</p>`}`;
}

/** Whether a package has no permission, and tried nothing. */
function isIdle({ granted, together, denied }: PackageReport): boolean {
  return granted.length === 0 && !together && denied === 0;
}

function deniedTable({ denied }: PluginReport): Markup {
  return table(
    'Denied attempts, with the line of the plugin’s source',
    [
      {
        title: 'Attempt',
        as: 'head',
        cell: ({ kind, wanted, grantedSince }) =>
          html`${kind}
            <code>${said(wanted)}</code
            >${grantedSince && html` <span class="muted">(granted since)</span>`}`,
      },
      { title: 'Times', as: 'num', cell: ({ count }) => String(count) },
      {
        title: 'Place',
        as: 'wrap',
        cell: ({ at }) =>
          at === null ? html`<span class="muted">unknown</span>` : html`<code>${said(at)}</code>`,
      },
      { title: 'Last', as: 'when', cell: ({ last }) => moment(last) },
    ],
    denied,
  );
}

function toolTable({ tools }: PluginReport): Markup {
  return table(
    'Tools: the declared risk, the risk that the permissions prove, and the calls',
    [
      { title: 'Tool', as: 'head', cell: ({ tool }) => html`<code>${said(tool)}</code>` },
      { title: 'Declared risk', cell: ({ declaredRisk }) => declaredRisk ?? '' },
      {
        title: 'Risk',
        cell: ({ risk, declaredRisk }) =>
          html`<span class="${risk !== declaredRisk && risk === 'high' ? 'is-bad' : ''}"
            >${risk ?? ''}</span
          >`,
      },
      { title: 'Calls', as: 'num', cell: ({ calls }) => String(calls) },
      { title: 'Failed', as: 'num', cell: ({ failed }) => String(failed) },
      {
        title: 'Median',
        as: 'num',
        cell: ({ medianMs }) => (medianMs === null ? '' : duration(medianMs)),
      },
      {
        title: 'Slowest',
        as: 'num',
        cell: ({ slowestMs }) => (slowestMs === null ? '' : duration(slowestMs)),
      },
    ],
    tools,
  );
}

function more({ approvals, limits, ends, secrets, undeclared }: PluginReport): Markup {
  const { asked, given, refused, medianWaitMs, longestWaitMs, recent, busiestHour, saver } =
    approvals;
  return html`${
    asked + given + refused > 0 &&
    html`<h3>Approvals</h3>
      <p>
        ${plural(asked, 'request')}, ${given} approved, ${refused}
        denied.${medianWaitMs !== null && html` People took ${duration(medianWaitMs)} in the median, ${duration(longestWaitMs ?? medianWaitMs)} at most.`}${busiestHour > 1 && ` At most ${busiestHour} within an hour.`}${saver !== null && html` A rule for <code>${said(saver.tool)}</code> would have saved up to ${saver.questions} answers.`}
      </p>
      ${table(
        'The last answers',
        [
          { title: 'When', as: 'head', cell: ({ at }) => moment(at) },
          { title: 'Tool', cell: ({ tool }) => html`<code>${said(tool)}</code>` },
          { title: 'Answer', cell: ({ verdict }) => verdict },
          { title: 'By', cell: ({ by }) => said(by ?? '') },
          { title: 'After', as: 'num', cell: ({ waitedMs }) => duration(waitedMs) },
        ],
        recent,
      )}`
  }
  ${
    limits.length + ends.length > 0 &&
    html`<h3>Limits, kills and crashes</h3>
      ${table(
        'Limits that were reached, and guests that were killed or crashed',
        [
          { title: 'Event', as: 'head', cell: ({ what }) => what },
          { title: 'Times', as: 'num', cell: ({ count }) => String(count) },
          { title: 'Last', as: 'when', cell: ({ last }) => moment(last) },
        ],
        [...limits, ...ends],
      )}`
  }
  ${
    secrets.length > 0 &&
    html`<h3>Secrets by reference</h3>
      ${table(
        'The value never enters the plugin: the host inserts it into requests and removes it from answers',
        [
          { title: 'Secret', as: 'head', cell: ({ name }) => html`<code>${said(name)}</code>` },
          { title: 'Host', as: 'wrap', cell: ({ host }) => said(host) },
          { title: 'Sent', as: 'num', cell: ({ sent }) => String(sent) },
          { title: 'Withheld', as: 'num', cell: ({ withheld }) => String(withheld) },
          { title: 'Removed', as: 'num', cell: ({ scrubbed }) => String(scrubbed) },
        ],
        secrets,
      )}`
  }
  ${
    undeclared.length > 0 &&
    html`<h3>In the code, but not in the manifest</h3>
      <ul>
        ${undeclared.map(
          ({ kind, scope, at }) =>
            html`<li>
              ${kind} ${scope !== 'true' && html`<code>${said(scope)}</code>`}
              ${at !== null && html`<span class="muted mono">${said(at)}</span>`}
            </li>`,
        )}
      </ul>`
  }`;
}
