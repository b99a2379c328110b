import type { StoredQuestion } from '../../approval/approver.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { CallResult, StoppedEffect } from '../../engine/types/result.js';
import { dryRunTitle } from '../../report/dry-run-title.js';
import { type Markup, html } from '../../report/html/markup.js';
import { isolated } from '../../visible.js';
import { quoted } from './layout.js';
import { textBlock, valueBlock } from './value.js';

const MAX_SHOWN = 50;

/** What a tool chose to do in a dry run. Everything in it is the plugin's word. */
export function dryRunPage(
  question: StoredQuestion,
  result: CallResult,
  tool: Pick<CatalogTool, 'annotations'> | undefined,
): Markup {
  const { dryRun = [], isError, code, content, durationMs } = result;
  const answer = content.map(({ text }) => text ?? '').join('\n');
  return html`<p class="lead">
      This is what the code of <code>${isolated(question.id)}</code> chose to do in a dry run with
      the input below. In a real run it may choose otherwise.
    </p>
    <p><a href="/console/approvals/${question.approvalId}">Back to the question</a></p>
    <div class="card">
      <h2>${dryRunTitle(dryRun, tool?.annotations)}</h2>
      <ol class="permissions">
        ${dryRun.slice(0, MAX_SHOWN).map((effect) => html`<li>${effectText(effect)}</li>`)}
      </ol>
      ${dryRun.length > MAX_SHOWN && html`<p class="meta">And ${dryRun.length - MAX_SHOWN} more.</p>`}
    </div>
    <div class="card">
      <h2>Its answer</h2>
      <p class="meta">
        ${isError ? html`It failed with ${code ?? 'an error'}` : 'It answered'} after
        ${Math.round(durationMs)} ms.
      </p>
      ${textBlock(isolated(answer.slice(0, 4_000)), 'Answer of the dry run')}
      <h3>Input</h3>
      ${valueBlock(question.input, `Input of ${question.id}`)}
    </div>`;
}

function effectText(effect: StoppedEffect): Markup {
  switch (effect.permission) {
    case 'network':
      return html`${effect.reads === true ? 'Read' : 'Send'}
      ${quoted(`${effect.method} ${effect.url}`)}${effect.body !== undefined && textBlock(isolated(effect.body.slice(0, 2_000)), 'Body')}`;
    case 'storage':
      return html`Change its storage: ${effect.operation} ${quoted(effect.path)}`;
    case 'fs':
      return html`Change a file of the host: ${effect.operation} ${quoted(effect.path)}`;
    case 'powers':
      return html`Use the host’s power ${quoted(effect.power)}`;
  }
}
