import type { Finding, PermissionReport, PluginReport } from '../report.js';
import { duration, moment, plural, useText } from '../words.js';
import { activityChart } from './chart.js';
import { findingList } from './findings.js';
import { html, type Markup, said } from './markup.js';
import { picture } from './picture.js';
import { table } from './tables.js';

/** All that the report has on one plugin. `id` is an anchor of ours, and no word of the plugin's. */
export function pluginCard(plugin: PluginReport, findings: readonly Finding[], id: string): Markup {
  const { name, changes } = plugin;
  return html`<section class="card" id="${id}" aria-labelledby="${id}-h">
    <header>
      <h2 id="${id}-h">${said(name)}</h2>
      <p class="meta">${state(plugin)}</p>
    </header>
    <p class="meta">${identity(plugin)}</p>
    ${
      changes.length > 0 &&
      html`<ul class="changes">
        ${changes.map((change) => html`<li>${change}</li>`)}
      </ul>`
    }
    ${picture(plugin, `${id}-p`)}
    ${
      findings.length > 0 &&
      html`<h3>What is wrong</h3>
        ${findingList(findings)}`
    }
    <h3>What it may do, and does</h3>
    ${permissionTable(plugin)}
    ${
      plugin.denied.length > 0 &&
      html`<h3>What it was refused</h3>
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
  </section>`;
}

function state({ state: word, confinement, pin }: PluginReport): Markup {
  return html`<span class="pill ${word === 'active' ? 'good' : 'warn'}">${word}</span>
    <span class="pill ${confinement === 'host' ? 'bad' : 'good'}"
      >${confinement === 'host' ? 'unconfined' : 'confined'}</span
    >
    <span class="pill ${pin?.current === true ? 'good' : 'warn'}"
      >${pin === null ? 'not pinned' : pin.current ? 'pinned' : 'not what was pinned'}</span
    >`;
}

function identity({ id, format, version, bundles, pin }: PluginReport): Markup {
  const hashes = Object.values(bundles);
  return html`<code>${said(id)}</code
    >${version !== null && html` ${said(version)}`}${format !== null && html` · ${format}`}
    ${hashes.map((hash) => html` · <code>${hash.slice(0, 22)}…</code>`)}
    ${pin !== null && pin.at !== null && html` · pinned ${moment(pin.at)}${pin.by !== null && html` by ${said(pin.by)}`}`}`;
}

function permissionTable({ permissions }: PluginReport): Markup {
  if (permissions.length === 0)
    return html`<p class="muted">It asks for nothing, and has nothing.</p>`;
  return table<PermissionReport>(
    'Permissions: what it asks for, what it was given, and what the host saw of it',
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

function deniedTable({ denied }: PluginReport): Markup {
  return table(
    'Refused attempts, with the line of the plugin’s own source that made them',
    [
      {
        title: 'Tried',
        as: 'head',
        cell: ({ kind, wanted }) => html`${kind} <code>${said(wanted)}</code>`,
      },
      { title: 'Times', as: 'num', cell: ({ count }) => String(count) },
      {
        title: 'Where',
        as: 'wrap',
        cell: ({ at }) =>
          at === null ? html`<span class="muted">not known</span>` : html`<code>${said(at)}</code>`,
      },
      { title: 'Last', as: 'when', cell: ({ last }) => moment(last) },
    ],
    denied,
  );
}

function toolTable({ tools }: PluginReport): Markup {
  return table(
    'Tools: the risk that the author says and the one that its permissions prove, and its calls',
    [
      { title: 'Tool', as: 'head', cell: ({ tool }) => html`<code>${said(tool)}</code>` },
      { title: 'Risk said', cell: ({ declaredRisk }) => declaredRisk ?? '' },
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
  const { asked, given, refused, medianWaitMs, longestWaitMs, recent } = approvals;
  return html`${
    asked + given + refused > 0 &&
    html`<h3>Approvals</h3>
      <p>
        ${plural(asked, 'question')} asked, ${given} approved, ${refused}
        refused.${medianWaitMs !== null && html` People took ${duration(medianWaitMs)} as a rule, ${duration(longestWaitMs ?? medianWaitMs)} at most.`}
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
        'What ran into a limit, and guests that ended badly',
        [
          { title: 'What', as: 'head', cell: ({ what }) => what },
          { title: 'Times', as: 'num', cell: ({ count }) => String(count) },
          { title: 'Last', as: 'when', cell: ({ last }) => moment(last) },
        ],
        [...limits, ...ends],
      )}`
  }
  ${
    secrets.length > 0 &&
    html`<h3>Secrets that it holds by reference</h3>
      ${table(
        'The value never enters the plugin: the host puts it into requests, and takes it out of answers',
        [
          { title: 'Secret', as: 'head', cell: ({ name }) => html`<code>${said(name)}</code>` },
          { title: 'Host', as: 'wrap', cell: ({ host }) => said(host) },
          { title: 'Sent', as: 'num', cell: ({ sent }) => String(sent) },
          { title: 'Withheld', as: 'num', cell: ({ withheld }) => String(withheld) },
          { title: 'Taken out', as: 'num', cell: ({ scrubbed }) => String(scrubbed) },
        ],
        secrets,
      )}`
  }
  ${
    undeclared.length > 0 &&
    html`<h3>In its code, and not in its manifest</h3>
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
