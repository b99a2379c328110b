import { type AuditRecord, FIELDS, type Head } from '../../audit/record.js';
import { type AuditVerdict, formatAnchor } from '../../audit/verify.js';
import { didYouMean } from '../../did-you-mean.js';
import { type Markup, html, shorten, table } from '../../report/html/markup.js';
import type { Engine } from '../../engine/engine-api.js';
import type { Session } from '../sessions.js';
import { clock, formToken, quoted } from './layout.js';

export interface AuditView {
  readonly session: Session;
  readonly head: Head;
  readonly records: readonly AuditRecord[];
  readonly search: AuditSearch;
  readonly verdict?: AuditVerdict | undefined;
}

/** What a person searches for. Empty fields match everything. */
export interface AuditSearch {
  readonly type: string;
  readonly plugin: string;
  readonly text: string;
}

export function auditPage({ session, head, records, search, verdict }: AuditView): Markup {
  return html`<p class="lead">
      The log has <strong>${head.seq} records</strong>. The last record’s hash is
      <code>${head.hash.slice(0, 16)}…</code>.
    </p>
    <p class="meta">
      Its anchor now: <code>${formatAnchor(head)}</code>. Keep anchors where this machine cannot
      change them: a log that was cut, or that was replaced whole, is found by its anchors alone.
    </p>
    ${verdict !== undefined && state(verdict)}
    <form method="post" action="/console/audit/verify">
      ${formToken(session)}
      <label
        >Anchors that the log must contain (may be empty)
        <input type="text" name="anchors" maxlength="4000" autocomplete="off"
      /></label>
      <p class="actions"><button>Verify the whole log</button></p>
    </form>
    <form class="search card" method="get" action="/console/audit">
      ${field('type', 'Type, e.g. capability-denied', search.type)}
      ${field('plugin', 'Plugin', search.plugin)} ${field('text', 'Text in a record', search.text)}
      <p class="actions"><button class="second">Search</button></p>
    </form>
    <div class="card">
      ${
        records.length === 0
          ? html`<p>No record matches. ${unknownType(search.type)}</p>`
          : table(
              `${records.length} records, newest first`,
              [
                { title: 'Record', cell: (one: AuditRecord) => String(one.seq), as: 'num' },
                { title: 'Time', cell: (one) => clock(one.atMs), as: 'when' },
                { title: 'Type', cell: (one) => one.type },
                {
                  title: 'Content',
                  cell: (one) => html`${quoted(shorten(contentOf(one), 400))} ${whyLink(one)}`,
                  as: 'wrap',
                },
              ],
              records,
            )
      }
    </div>`;
}

/** A type that no record has finds nothing, and that proves nothing. */
function unknownType(type: string): Markup | false {
  if (type === '' || FIELDS.has(type)) return false;
  const meant = didYouMean(type, [...FIELDS.keys()]);
  return html`<bdi>${type}</bdi> is not a type of
    record.${meant !== undefined && html` Did you mean <code>${meant}</code>?`}`;
}

/** Whether the engine writes an audit log. */
export function hasAudit({ audit }: Pick<Engine, 'audit'>): boolean {
  try {
    return audit.head.seq >= 0;
  } catch {
    return false;
  }
}

export const NO_AUDIT: Markup = html`<div class="card empty">
  <p>
    This engine has no audit log. Start it with <code>--audit FILE</code>, or set
    <code>audit</code> in the configuration.
  </p>
</div>`;

function state(verdict: AuditVerdict): Markup {
  return verdict.ok
    ? html`<p class="notice good" role="alert">
        The chain is whole: ${verdict.records} records were
        checked${verdict.anchored > 0 && `, ${verdict.anchored} against their anchors`}.
      </p>`
    : html`<p class="notice bad" role="alert">The log is not sound: ${verdict.message}</p>`;
}

function field(name: keyof AuditSearch, label: string, value: string): Markup {
  return html`<label
    >${label}
    <input type="search" name="${name}" value="${value}" maxlength="200" autocomplete="off"
  /></label>`;
}

function whyLink(record: AuditRecord): Markup {
  if (!('call' in record) || record.call === undefined) return html``;
  return html`<a href="/console/calls/${encodeURIComponent(record.call)}/why">Why</a>`;
}

function contentOf(record: AuditRecord): string {
  const { seq: _seq, atMs: _atMs, type: _type, ...rest } = record;
  return JSON.stringify(rest);
}

export function matchesText(record: AuditRecord, text: string): boolean {
  return text === '' || JSON.stringify(record).toLowerCase().includes(text.toLowerCase());
}
