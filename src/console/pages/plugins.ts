import { switchedOffWhy } from '../../engine/plugins/switched-off.js';
import type { EntryStatus, PluginStatus } from '../../engine/types/status.js';
import { scopesOf } from '../../permissions/permissions.js';
import type { PermissionName } from '../../permissions/kind.js';
import { permissionNames } from '../../permissions/table.js';
import { explainScope } from '../../report/permission-rows.js';
import { type Markup, html, shorten, table } from '../../report/html/markup.js';
import type { LogLine, PluginActivity } from '../plugin-activity.js';
import type { Session } from '../sessions.js';
import { grantText, isGranted } from './grant-text.js';
import { clock, formToken, quoted } from './layout.js';
import { sparkline } from './sparkline.js';

export interface PluginRow {
  readonly status: PluginStatus;
  readonly activity: PluginActivity;
  /** The plugins that run in the same process. */
  readonly sharesWith: readonly string[];
  /** Whether the lock file has it, so that an update can be accepted. */
  readonly isLocked: boolean;
  /** Whether the operator stopped it, or everything. */
  readonly isStopped: boolean;
}

/** Every plugin with what it may do, what it did, and its switch. */
export function pluginsPage(rows: readonly PluginRow[], session: Session, done?: string): Markup {
  const active = rows.filter(
    ({ status, isStopped }) => status.state === 'active' && !isStopped,
  ).length;
  return html`<p class="lead">
      <strong>${active} of ${rows.length}</strong>
      ${rows.length === 1 ? 'plugin runs' : 'plugins run'}. The charts and counts are since this
      console started.
    </p>
    ${done !== undefined && html`<p class="notice good" role="alert">${done}</p>`}
    ${rows.map((row) => card(row, session))}
    ${rows.length === 0 && html`<div class="card empty"><p>No plugin is installed here.</p></div>`}`;
}

const STATES = {
  active: ['good', '● active'],
  inactive: ['', '○ inactive'],
  failed: ['bad', '■ failed'],
} as const;

const SWITCHED_OFF = ['', '○ switched off'] as const;
const STOPPED = ['bad', '■ stopped'] as const;

/** Whether its host switched it off. An inactive plugin may also lack a value, or be disabled in the lock file. */
function isOff({ id, problems }: PluginStatus): boolean {
  const why = switchedOffWhy(id);
  return problems.some(({ message }) => message === why);
}

function card(row: PluginRow, session: Session): Markup {
  const { status, activity, sharesWith, isLocked, isStopped } = row;
  const { id, name, version, state, problems, tools, entries, format } = status;
  const [tone, word] = isStopped ? STOPPED : isOff(status) ? SWITCHED_OFF : STATES[state];
  return html`<article class="card" aria-label="Plugin ${id}">
    <header>
      <h2>
        <code><bdi>${id}</bdi></code>
      </h2>
      <span class="pill ${tone}">${word}</span>
    </header>
    <p class="meta">
      ${quoted(name)}${version !== undefined && html` ${quoted(version)}`} ·
      ${format ?? 'unreadable'} · ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'} ·
      ${
        sharesWith.length > 0
          ? html`shares a process with
            ${sharesWith.map((one, index) => html`${index > 0 && ', '}<code><bdi>${one}</bdi></code>`)}`
          : whereItRuns(status, activity)
      }
    </p>
    ${problems.map(({ message }) => html`<p class="notice bad">${shorten(message, 600)}</p>`)}
    <div class="columns">
      <div>
        <h3>What it may do</h3>
        ${sentences(entries, activity)}
      </div>
      <div>
        <h3>Calls in the last hour</h3>
        ${sparkline(activity.perMinute)}
        <p class="meta">
          ${activity.calls} ${activity.calls === 1 ? 'call' : 'calls'}, ${activity.failed} failed ·
          <a href="/console/calls?plugin=${encodeURIComponent(id)}">Its calls</a> ·
          <a href="/console/logs?plugin=${encodeURIComponent(id)}">Its log</a>
        </p>
      </div>
    </div>
    ${refused(activity, entries)} ${isLocked && updateForm(status, session)}
    ${switchForm(status, session)}
  </article>`;
}

function whereItRuns(
  { entries, confinement: place }: PluginStatus,
  { pids }: PluginActivity,
): string {
  if (place === 'host') return 'is not confined: a command with all rights of its user';
  if (place === 'sandbox-runtime') return 'is confined by sandbox-runtime, not by Bulkhead';
  if (entries.length === 0) return 'runs on another server';
  if (entries.some(({ confinement }) => confinement === 'host'))
    return 'is not confined (host mode)';
  if (pids.length === 0) return 'no process now';
  return `own process ${pids.join(', ')}`;
}

/** Permissions as sentences: granted, with their uses, and declared but not granted. */
function sentences(entries: readonly EntryStatus[], activity: PluginActivity): Markup {
  const rows = permissionNames.flatMap((kind) => {
    const granted = scopes(entries, kind, ({ effective }) => effective);
    const declared = scopes(entries, kind, (entry) => entry.declared);
    return [
      ...granted.map((scope) => ({ kind, scope, granted: true })),
      ...declared
        .filter((scope) => !granted.includes(scope))
        .map((scope) => ({ kind, scope, granted: false })),
    ];
  });
  if (rows.length === 0) return html`<p>Nothing: it has no permission.</p>`;
  return html`<ul class="permissions">
    ${rows.map(
      ({ kind, scope, granted }) =>
        html`<li class="${granted ? '' : 'withheld'}">
          ${explainScope(kind, scope)}
          <span class="meta"
            >${granted ? useOf(kind, scope, activity) : 'declared, not granted'}</span
          >
        </li>`,
    )}
  </ul>`;
}

function scopes(
  entries: readonly EntryStatus[],
  kind: PermissionName,
  of: (entry: EntryStatus) => EntryStatus['effective'],
): string[] {
  return [...new Set(entries.flatMap((entry) => scopesOf(of(entry), kind)))];
}

/** Kinds whose uses pass through the host. The guest uses the others by itself. */
const OBSERVED: ReadonlySet<PermissionName> = new Set(['network', 'fs', 'storage', 'powers']);

function useOf(
  kind: PermissionName,
  scope: string,
  { used, hosts }: Pick<PluginActivity, 'used' | 'hosts'>,
): string {
  if (!OBSERVED.has(kind)) return 'granted; its use is not observed';
  if (kind === 'network') {
    const times = [...hosts]
      .filter(([host]) => isGranted(kind, [scope], host))
      .reduce((sum, [, count]) => sum + count, 0);
    return times === 0 ? 'granted, not used yet' : `granted; used ${times}×`;
  }
  const times = used.get(kind) ?? 0;
  return times === 0 ? 'granted, not used yet' : `granted; ${kind} used ${times}×`;
}

function refused({ denied }: PluginActivity, entries: readonly EntryStatus[]): Markup {
  if (denied.length === 0) return html``;
  return html`<details>
    <summary>${denied.length} denied ${denied.length === 1 ? 'request' : 'requests'}</summary>
    ${table(
      'What it asked for and was denied',
      [
        { title: 'Permission', cell: (row: (typeof denied)[number]) => row.permission, as: 'head' },
        { title: 'Wanted', cell: (row) => quoted(row.wanted), as: 'wrap' },
        { title: 'Times', cell: (row) => String(row.count), as: 'num' },
        {
          title: 'Grant',
          cell: (row) => grantText(row.permission, row.wanted, entries),
          as: 'wrap',
        },
      ],
      denied,
    )}
  </details>`;
}

function switchForm(status: PluginStatus, session: Session): Markup {
  const { id, state, entries } = status;
  if (!session.rights.has('administer') || entries.length === 0) return html``;
  const on = isOff(status);
  if (state === 'inactive' && !on) {
    return html`<p class="meta">It runs when what it lacks is set. No switch starts it.</p>`;
  }
  return html`<form class="armed" method="post" action="/console/plugins/switch">
    ${formToken(session)}<input type="hidden" name="plugin" value="${id}" />
    <p class="actions">
      <button name="to" value="${on ? 'on' : 'off'}">
        Switch ${on ? 'on' : 'off'}<span class="unseen"> ${id}</span>
      </button>
      <span class="meta"
        >${on ? 'It loads again.' : 'Its calls end now, and its tools leave the catalog.'} A switch
        lasts until the engine closes.</span
      >
    </p>
  </form>`;
}

function updateForm({ id }: PluginStatus, session: Session): Markup {
  if (!session.rights.has('administer')) return html``;
  return html`<form method="post" action="/console/plugins/review">
    ${formToken(session)}<input type="hidden" name="plugin" value="${id}" />
    <p class="actions">
      <button class="second">Look for an update<span class="unseen"> of ${id}</span></button>
      <span class="meta"
        >The current version is read, and loaded without network access, to show what changed.</span
      >
    </p>
  </form>`;
}

/** The last lines that a plugin logged. */
export function logsPage(plugin: string, lines: readonly LogLine[]): Markup {
  return html`<p class="lead">
      What ${quoted(plugin)} logged since this console started: the last ${lines.length} lines,
      newest first.
    </p>
    <div class="card">
      ${
        lines.length === 0
          ? html`<p>It logged nothing.</p>`
          : table(
              'Every line is the plugin’s word',
              [
                { title: 'Time', cell: (line: LogLine) => clock(line.atMs), as: 'when' },
                { title: 'Level', cell: (line) => line.level },
                { title: 'Text', cell: (line) => quoted(line.text), as: 'wrap' },
              ],
              lines.toReversed(),
            )
      }
    </div>`;
}
