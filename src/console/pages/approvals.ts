import type { Answer, StoredQuestion, Verdict } from '../../approval/approver.js';
import { conditionSentences, type Rule, sentenceOf } from '../../approval/rule.js';
import { type InputConditions, openMembers } from '../../approval/scope.js';
import { type Markup, html } from '../../report/html/markup.js';
import { isolated, jsonLines } from '../../visible.js';
import type { InputPolicy } from '../../audit/note.js';
import type { ProgramStatus } from '../../engine/programs/program.js';
import type { Session } from '../sessions.js';
import { coverId } from '../cover-id.js';
import { clock, formToken, quoted, riskPill, since } from './layout.js';
import { programPart } from './program.js';
import { textBlock, valueBlock } from './value.js';

/** A rule that an answer could store, tried on the call that asks and on recent calls. */
export interface TriedRule {
  readonly name: string;
  readonly rule: Rule;
  /** Whether the rule allows the call that asks. */
  readonly allows: boolean;
  /** Recent calls that the rule would have allowed too, as sentences. */
  readonly others: readonly string[];
  readonly ofRecent: number;
}

export interface PendingRow {
  readonly question: StoredQuestion;
  readonly rules: readonly TriedRule[];
  /** The inputs that an answer for this session covers. Absent: it covers the tool, or the request's target. */
  readonly scope?: InputConditions | undefined;
  /** The program that made the call. */
  readonly program?: ProgramStatus | undefined;
  /** The name of the form that answers several calls of this tool or program. Absent: it is answered alone. */
  readonly batch?: string | undefined;
}

interface QuestionsView {
  readonly rows: readonly PendingRow[];
  readonly nowMs: number;
  readonly session: Session;
  /** What may be shown of the inputs of calls that do not wait any more. */
  readonly inputs: InputPolicy;
}

export interface ApprovalsView extends QuestionsView {
  /** Questions in the last hour. */
  readonly perHour: number;
  /** The rule that would have saved most answers in the last hour. */
  readonly saver?: { readonly rule: Rule; readonly questions: number } | undefined;
  readonly done?: string | undefined;
}

/**
 * The queue of pending approvals, oldest first. What changes with the queue stands below it, so that no row moves
 * when the script brings a new one.
 */
export function approvalsPage(view: ApprovalsView): Markup {
  const { rows, done, perHour, saver } = view;
  return html`<p class="lead">
      Calls that wait for an answer, oldest first. An answer is for exactly the input that is shown.
    </p>
    ${done !== undefined && html`<p class="notice good" role="alert">${done}</p>`}
    <div id="queue" class="queue">${rows.map((row) => card(row, view))}</div>
    ${EMPTY}
    <div id="below">
      ${batchForms(view)}
      <p class="meta">
        ${perHour} ${perHour === 1 ? 'question' : 'questions'} in the last hour.
        ${
          saver !== undefined &&
          html`This rule would have saved ${saver.questions}
          ${saver.questions === 1 ? 'answer' : 'answers'} of a person: ${sentenceOf(saver.rule)}`
        }
      </p>
    </div>`;
}

/** The page of one question that waits. */
export function questionPage(view: QuestionsView): Markup {
  return html`<p class="lead">
      This call waits for an answer. The answer is for exactly the input that is shown.
    </p>
    <div class="queue">${view.rows.map(({ batch: _batch, ...row }) => card(row, view))}</div>
    <p><a href="/console/">To all questions that wait</a></p>`;
}

/** Shown while the queue has no row. */
const EMPTY = html`<div class="card empty">
  <p>
    No call waits for an answer. A call waits here if its risk is above what runs without approval,
    if its plugin requires approval, or if a rule says <code>ask</code>. A tool of Pandora asks only
    if its plugin requires it, unless you choose a <code>--tolerance</code>.
  </p>
</div>`;

/** One form for each tool with several calls. The rows' boxes belong to it. */
function batchForms({ rows, session }: ApprovalsView): Markup[] {
  if (!session.rights.has('answer')) return [];
  const names = new Map<string, { of: Markup; size: number }>();
  for (const { batch, question, program } of rows) {
    if (batch === undefined) continue;
    const size = (names.get(batch)?.size ?? 0) + 1;
    const of = program === undefined ? quoted(question.id) : html`program ${program.id}`;
    names.set(batch, { of, size });
  }
  const several = [...names].filter(([, { size }]) => size > 1);
  return several.map(
    ([name, { of, size }]) =>
      html`<form id="${name}" class="batch card" method="post" action="/console/approvals/batch">
        ${formToken(session)}
        <p>
          <strong>${size} calls of ${of}</strong> wait. Select those that you have read, and answer
          the selected ones together.
        </p>
        <p class="actions">
          <button name="verdict" value="deny">Deny the selected</button>
          <button name="verdict" value="once">Allow the selected once</button>
        </p>
      </form>`,
  );
}

function card(row: PendingRow, view: QuestionsView): Markup {
  const { question } = row;
  const { nowMs } = view;
  const heading = `q-${question.approvalId}`;
  return html`<article
    class="card question"
    data-approval="${question.approvalId}"
    aria-labelledby="${heading}"
  >
    <header>
      <h2 id="${heading}"><code>${isolated(question.id)}</code></h2>
      ${riskPill(question.risk)}
    </header>
    <p class="meta">
      ${question.kind === 'effect' ? 'A request of a running call' : 'A call'} · waits for
      ${since(nowMs - question.askedAtMs)} · expires in ${since(question.expiresAtMs - nowMs)}
      ${question.version !== undefined && html` · version ${quoted(question.version)}`}
      ${question.tenant !== undefined && html` · tenant <bdi>${question.tenant}</bdi>`}
      ${question.asker !== undefined && html` · asked by <bdi>${question.asker}</bdi>`}
      ${question.conversationId !== undefined && html` · conversation <bdi>${question.conversationId}</bdi>`}
    </p>
    <dl class="facts">
      <div>
        <dt>Why it asks</dt>
        <dd>${question.why}</dd>
      </div>
      ${
        !question.why.endsWith(`: ${question.riskWhy}`) &&
        html`<div>
          <dt>Risk</dt>
          <dd>${question.risk}: ${question.riskWhy}</dd>
        </div>`
      }
      <div>
        <dt>Its author calls it</dt>
        <dd>${quoted(question.title)}</dd>
      </div>
    </dl>
    ${question.effect !== undefined && effectOf(question)}
    <h3>Input</h3>
    ${valueBlock(question.input, `Input of ${question.id}`)}
    ${row.program !== undefined && programPart(row.program, question.approvalId, view.inputs)}
    ${answers(row, view)}
  </article>`;
}

function effectOf({ effect, id }: StoredQuestion): Markup {
  if (effect === undefined) return html``;
  const { method, url, headers, body, bodyBytes } = effect;
  const lines = [
    `${method} ${isolated(url)}`,
    ...headers.map(([name, value]) => `${isolated(name)}: ${isolated(value)}`),
    ...(body === undefined ? [] : ['', isolated(body)]),
    ...(bodyBytes === undefined ? [] : ['', `(${bodyBytes} bytes)`]),
  ];
  return html`<h3>The request that it wants to send</h3>
    ${textBlock(lines.join('\n'), `Request of ${id}`)}`;
}

function answers(
  { question, rules, batch, scope, program }: PendingRow,
  { session, nowMs }: QuestionsView,
): Markup {
  if (!session.rights.has('answer')) {
    return html`<p class="meta">This session may not answer. Enter with the token to answer.</p>`;
  }
  const shown = fields(question, session, nowMs);
  const action = `/console/approvals/${question.approvalId}`;
  return html`<form class="answer armed" method="post" action="${action}">
      ${shown}
      <p class="actions">
        <button name="verdict" value="deny">Deny</button>
        <button name="verdict" value="once">Allow once</button>
        ${
          question.offers.includes('session') &&
          html`<input type="hidden" name="covers" value="${coverId(scope)}" /><button
              name="verdict"
              value="session"
              class="second"
            >
              Allow for this session
            </button>`
        }
      </p>
      ${question.offers.includes('session') && html`<p class="meta">${sessionText(question, scope)}</p>`}
      <label class="reason"
        >Reason for a denial, for the caller (may be empty)
        <input type="text" name="reason" maxlength="500" autocomplete="off"
      /></label>
    </form>
    ${
      question.kind === 'call' &&
      html`<form class="armed" method="post" action="${action}/dry-run">
        ${formToken(session)}
        <p class="actions">
          <button class="quiet">Dry run<span class="unseen"> of ${question.id}</span></button>
          <span class="meta"
            >Runs its code without its changes, and shows what it chose to do.</span
          >
        </p>
      </form>`
    }
    ${
      batch !== undefined &&
      html`<label class="pick"
        ><input
          type="checkbox"
          form="${batch}"
          name="pick"
          value="${question.approvalId} ${question.digest} ${nowMs}"
        />
        Select, to answer it together with others of this
        ${program === undefined ? 'tool' : 'program'}, below the list</label
      >`
    }
    ${
      rules.length > 0 &&
      html`<details class="rules">
        <summary>Answer with a rule…</summary>
        ${rules.map((tried) => ruleForm(tried, { shown, action, nowMs }))}
      </details>`
    }
    ${question.risk === 'high' && html`<p class="meta">High risk is asked for each time. No rule can allow it.</p>`}`;
}

/** What `session` covers. */
function sessionText(
  { kind, conversationId, input }: StoredQuestion,
  scope: InputConditions | undefined,
): string {
  const until = conversationId === undefined ? 'until the engine closes' : 'in this conversation';
  if (kind === 'effect')
    return `For this session: requests of this tool with this method to this host, ${until}.`;
  if (scope === undefined) return `For this session: every call of this tool, ${until}.`;
  const conditions = conditionSentences(scope);
  const where = conditions.length === 0 ? 'with any input' : `where ${conditions.join(' and ')}`;
  const open = openMembers(input, scope);
  const vary = open.length === 0 || conditions.length === 0 ? '' : ` ${open.join(', ')} may vary.`;
  return `For this session: calls of this tool ${where}, ${until}.${vary} An input that looks like it holds a credential asks again.`;
}

function fields(question: StoredQuestion, session: Session, nowMs: number): Markup {
  return html`${formToken(session)}<input
      type="hidden"
      name="digest"
      value="${question.digest}"
    /><input type="hidden" name="shown" value="${nowMs}" />`;
}

function ruleForm(
  { name, rule, allows, others, ofRecent }: TriedRule,
  { shown, action }: { shown: Markup; action: string; nowMs: number },
): Markup {
  return html`<form class="rule armed" method="post" action="${action}">
    ${shown}<input type="hidden" name="rule" value="${name}" /><input
      type="hidden"
      name="covers"
      value="${coverId(rule.input ?? {})}"
    />
    <p><strong>${sentenceOf(rule)}</strong></p>
    <ul>
      <li>Tried on this call: ${allows ? 'allows it.' : 'does not allow it.'}</li>
      <li>
        ${
          others.length === 0
            ? `Of ${ofRecent} earlier questions it would have allowed no other.`
            : `Of ${ofRecent} earlier questions it would also have allowed ${others.length}:`
        }
        ${
          others.length > 0 &&
          html`<ul>
            ${others.slice(0, 8).map((one) => html`<li><bdi>${one}</bdi></li>`)}
          </ul>`
        }
      </li>
    </ul>
    <details>
      <summary>The rule as it is stored</summary>
      ${textBlock(jsonLines(rule), 'The rule')}
    </details>
    <p class="actions">
      <button name="verdict" value="always" ${!allows && html`disabled`}>
        Allow, and store this rule
      </button>
    </p>
  </form>`;
}

/** The page of one question that does not wait any more. */
export function answeredPage(
  question: StoredQuestion,
  state: string,
  answer: (Pick<Answer, 'verdict' | 'by' | 'reason'> & { readonly atMs: number }) | undefined,
): Markup {
  return html`<div class="card">
    <h2><code>${isolated(question.id)}</code></h2>
    <p>This question is ${state}. It cannot be answered again.</p>
    ${
      answer !== undefined &&
      html`<p>
        ${VERDICTS[answer.verdict]}${answer.by !== undefined && html` by <bdi>${answer.by}</bdi>`}
        at
        ${clock(answer.atMs)}${answer.reason !== undefined && html`: <bdi>${answer.reason}</bdi>`}
      </p>`
    }
    <p><a href="/console/">To the questions that wait</a></p>
  </div>`;
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  deny: 'Denied',
  once: 'Allowed once',
  session: 'Allowed for the session',
  always: 'Allowed with a rule',
};
