import type { CallAccount } from '../../audit/why.js';
import { isBulkheadError } from '../../errors.js';
import { explainPermissions } from '../../permissions/permissions.js';
import { type Markup, html, shorten } from '../../report/html/markup.js';
import { clock, quoted } from './layout.js';

const OUTCOMES: Readonly<Record<CallAccount['outcome'], string>> = {
  ok: 'succeeded',
  error: 'failed',
  refused: 'was refused before it ran',
  open: 'has no end in the log',
};

const MAX_STEPS = 500;

/** What the audit log says of one call: the grant at its time, and each decision about it, in order. */
export function whyPage({ call, plugin, tool, grant, steps, outcome }: CallAccount): Markup {
  return html`<p class="lead">
      <code><bdi>${plugin}</bdi>:<bdi>${tool}</bdi></code> ${OUTCOMES[outcome]}.
    </p>
    <p><a href="/console/calls/${encodeURIComponent(call)}">The call</a></p>
    <div class="card">
      <h2>What it might do then</h2>
      ${
        grant === undefined
          ? html`<p>The log does not go back to its grant.</p>`
          : html`<p class="meta">Granted at ${clock(grant.atMs)}</p>
              <ul class="permissions">
                ${sentencesOf(grant).map((sentence) => html`<li>${sentence}</li>`)}
              </ul>`
      }
    </div>
    <div class="card">
      <h2>What was decided, and what happened</h2>
      <ol class="permissions">
        ${steps
          .slice(0, MAX_STEPS)
          .map(
            ({ record, text, sure }) =>
              html`<li>
                ${clock(record.atMs)} ${quoted(shorten(text, 600))}
                ${!sure && html`<span class="meta">or another call of this plugin</span>`}
              </li>`,
          )}
      </ol>
      ${steps.length > MAX_STEPS && html`<p class="meta">And ${steps.length - MAX_STEPS} more.</p>`}
    </div>`;
}

/** A log may hold text that is not a permission. */
function sentencesOf({ granted }: NonNullable<CallAccount['grant']>): readonly string[] {
  try {
    const sentences = explainPermissions(granted);
    return sentences.length === 0 ? ['Nothing: it had no permission.'] : sentences;
  } catch (error) {
    if (isBulkheadError(error) || error instanceof TypeError) return [JSON.stringify(granted)];
    throw error;
  }
}
