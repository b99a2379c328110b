import type { EntryStatus } from '../../engine/types/status.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import { type Markup, html } from '../../report/html/markup.js';
import { isolated, isolatedJson, shellWord } from '../../visible.js';
import type { NotedContent } from '../../audit/note.js';
import type { CallStep, RecentCall } from '../recent-calls.js';
import type { Session } from '../sessions.js';
import { clock, formToken, quoted, riskPill } from './layout.js';
import { ms } from './duration.js';
import { grantText } from './grant-text.js';
import { replayForm } from './replay.js';
import { type CallNode, timeLine } from './time-line.js';
import { textBlock } from './value.js';

/** Calls on one page. */
export const CALLS_SHOWN = 100;

/** Calls as trees: a call stands below the call or program that made it. Newest first. */
export function treesOf(calls: readonly RecentCall[]): CallNode[] {
  const ids = new Set(calls.map(({ id }) => id));
  const below = new Map<string, RecentCall[]>();
  for (const call of calls) {
    // A caller that is not kept, or that names itself, has no place in the tree.
    if (call.parent === undefined || !ids.has(call.parent)) continue;
    below.set(call.parent, [call, ...(below.get(call.parent) ?? [])]);
  }
  const seen = new Set<string>();
  const node = (call: RecentCall): CallNode[] => {
    if (seen.has(call.id)) return [];
    seen.add(call.id);
    return [{ call, children: (below.get(call.id) ?? []).flatMap(node) }];
  };
  return calls
    .filter(({ parent }) => parent === undefined || !ids.has(parent))
    .slice(0, CALLS_SHOWN)
    .flatMap(node);
}

/** Whose calls are shown. */
export interface CallFilter {
  readonly plugin: string | undefined;
  readonly tenant: string | undefined;
}

export function callsPage(
  trees: readonly CallNode[],
  kept: number,
  { plugin, tenant }: CallFilter,
  session: Session,
): Markup {
  return html`<p class="lead">
      The last
      calls${plugin !== undefined && html` of ${quoted(plugin)}`}${tenant !== undefined && html` for the tenant ${quoted(tenant)}`},
      newest first. ${kept} ${kept === 1 ? 'call is' : 'calls are'} in memory, and none on the disk.
      ${(plugin ?? tenant) !== undefined && html`<a href="/console/calls">All calls</a>`}
    </p>
    <div class="card">
      ${trees.length === 0 ? html`<p>No call ran since this console started.</p>` : treeList(trees)}
    </div>
    ${tenant !== undefined && kept > 0 && forgetForm(tenant, session)}`;
}

function forgetForm(tenant: string, session: Session): Markup {
  if (!session.rights.has('administer')) return html``;
  return html`<form method="post" action="/console/calls/forget">
    ${formToken(session)}<input type="hidden" name="tenant" value="${tenant}" />
    <p class="actions">
      <button class="second">Forget all calls of this tenant</button>
      <span class="meta"
        >Their inputs, answers and recordings leave the memory of this console. The audit log
        stays.</span
      >
    </p>
  </form>`;
}

function treeList(trees: readonly CallNode[]): Markup {
  return html`<ul class="tree">
    ${trees.map(
      ({ call, children }) =>
        html`<li>${line(call)}${children.length > 0 && treeList(children)}</li>`,
    )}
  </ul>`;
}

function line(call: RecentCall): Markup {
  const requests = call.steps.filter(({ kind }) => kind === 'request');
  const count = `${requests.some(({ isPerhaps }) => isPerhaps) ? 'up to ' : ''}${requests.length}`;
  const denied = call.steps.filter(({ kind }) => kind === 'denied').length;
  return html`<p class="call">
    <a href="/console/calls/${encodeURIComponent(call.id)}"
      ><bdi>${call.plugin}</bdi>:<bdi>${call.tool}</bdi></a
    >
    ${outcome(call)} ${call.isDryRun && DRY_RUN}
    <span class="meta"
      >${clock(call.startedAtMs)}${call.end !== undefined && ` · ${ms(call.end.durationMs)}`}
      ${call.parent !== undefined && ' · by a program or another call'}
      ${requests.length > 0 && ` · ${count} ${requests.length === 1 ? 'request' : 'requests'}`}</span
    >
    ${denied > 0 && html`<span class="pill bad">■ ${denied} denied</span>`}
  </p>`;
}

function outcome({ end }: RecentCall): Markup {
  if (end === undefined) return html`<span class="pill">… runs</span>`;
  return end.outcome === 'ok'
    ? html`<span class="pill good">● ok</span>`
    : html`<span class="pill bad">■ ${end.code ?? 'failed'}</span>`;
}

const DRY_RUN = html`<span class="pill">○ dry run</span>`;

/** One call: its input as the audit policy allows it, and what happened, on a time line. */
export function callPage(
  node: CallNode,
  parent: RecentCall | undefined,
  entries: readonly EntryStatus[],
  session: Session,
): Markup {
  const { call, children } = node;
  const denied = call.steps.filter(({ kind }) => kind === 'denied');
  return html`<article class="card" aria-label="The call">
    <header>
      <h2>
        <code><bdi>${call.plugin}</bdi>:<bdi>${call.tool}</bdi></code>
      </h2>
      <span class="pills">${outcome(call)} ${call.isDryRun && DRY_RUN} ${riskPill(call.risk)}</span>
    </header>
    <p class="meta">
      ${call.id} · began
      ${clock(call.startedAtMs)}${call.end !== undefined && ` · took ${ms(call.end.durationMs)}`}
    </p>
    ${
      call.tenant !== undefined &&
      html`<p>
        For the tenant
        <a href="/console/calls?tenant=${encodeURIComponent(call.tenant)}"
          ><bdi>${call.tenant}</bdi></a
        >.
      </p>`
    }
    ${
      call.parent !== undefined &&
      html`<p>
        Made by
        ${
          parent === undefined
            ? html`<code>${call.parent}</code>`
            : html`<a href="/console/calls/${encodeURIComponent(parent.id)}"
                ><bdi>${parent.plugin}:${parent.tool}</bdi></a
              >`
        }.
      </p>`
    }
    <h3>Input</h3>
    ${contentOf(call.input, `Input of ${call.tool}`)}
    ${call.end !== undefined && html`<h3>Answer</h3>`}
    ${call.answer !== undefined && contentOf(call.answer, `Answer of ${call.tool}`)}
    ${denied.length > 0 && denials(denied, entries)}
    <h3>What happened</h3>
    ${timeLine(node)}
    ${call.dropped > 0 && html`<p class="meta">${call.dropped} more steps are not kept.</p>`}
    ${
      children.length > 0 &&
      html`<h3>Calls that it made</h3>
        ${treeList(children)}`
    }
    ${ruleTexts(call)} ${replayForm(call, session)}
    <h3>Why</h3>
    <p>
      With an audit log,
      <a href="/console/calls/${encodeURIComponent(call.id)}/why">its decisions</a> are known: the
      grant, the approvals and the denials. <code>bulkhead why ${call.id}</code> prints the same.
      ${call.bundle !== '' && html`<span class="meta">It ran ${call.bundle.slice(0, 23)}…</span>`}
    </p>
  </article>`;
}

function contentOf({ text, digest }: NotedContent, label: string): Markup {
  if (text !== undefined) return textBlock(pretty(text), label);
  if (digest === undefined)
    return html`<p>
      The option <code>audit.inputs</code> is <code>none</code>, so it is not kept.
    </p>`;
  return html`<p>
    sha256 <code>${digest}</code>.
    <span class="meta"
      >To keep inputs and answers without members such as <code>password</code>, set
      <code>audit.inputs</code> to <code>full</code>.</span
    >
  </p>`;
}

/** A text as its lines, other values as JSON. A long text is cut, and then it is not JSON. */
function pretty(text: string): string {
  const value = parsed(text) ?? text;
  if (typeof value !== 'string') return isolatedJson(value);
  return value.split('\n').map(isolated).join('\n');
}

/** Rules about this tool, to be pasted. An allow is for this code and, as far as it is known, this input. */
function ruleTexts(call: RecentCall): Markup {
  const { plugin, tool, bundle, risk, input } = call;
  // `*` in a name would match more than its tool.
  if (plugin.includes('*') || tool.includes('*')) return html``;
  const id = shellWord(`${plugin}:${tool}`);
  const conditions = risk === 'high' ? undefined : whenOf(input.text);
  const lines = [
    `bulkhead rules add deny ${id}`,
    `bulkhead rules add ask ${id}`,
    ...(conditions === undefined
      ? []
      : [`bulkhead rules add allow ${id} --bundle ${shellWord(bundle)}${conditions}`]),
  ];
  return html`<details>
    <summary>Make a rule…</summary>
    <p class="meta">
      Paste one of these.
      ${risk === 'high' && 'High risk is asked for each time, so that no rule can allow it.'}
      ${risk !== 'high' && conditions === undefined && 'The input is not known here, so that there is no rule that allows exactly this call.'}
    </p>
    ${textBlock(lines.join('\n'), 'Rules')}
  </details>`;
}

/** The input of this call as conditions; `undefined`: it is not known, or no condition can name it. */
function whenOf(input: string | undefined): string | undefined {
  const value = input === undefined || input.includes('[redacted]') ? undefined : parsed(input);
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.some(([key, one]) => /[.^=]/.test(key) || (typeof one === 'object' && one !== null)))
    return undefined;
  return entries
    .map(([key, one]) => ` --when ${shellWord(`${key}=${JSON.stringify(one)}`)}`)
    .join('');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function denials(denied: readonly CallStep[], entries: readonly EntryStatus[]): Markup {
  return html`<h3>Denied</h3>
    <ul class="permissions">
      ${denied.map(
        ({ permission = '', wanted, at }) =>
          html`<li>
            ${permission} ${quoted(wanted)}${at !== undefined && html` at ${quoted(at)}`}
            <span class="meta">${grantText(permission, wanted, entries)}</span>
          </li>`,
      )}
    </ul>`;
}
