import { type InputPolicy, noteContent } from '../../audit/note.js';
import type { ProgramCall, ProgramStatus } from '../../engine/programs/program.js';
import { type Markup, html } from '../../report/html/markup.js';
import { isolated } from '../../visible.js';
import { textBlock } from './value.js';

/** The program that asks: its source, what it has done, and what waits together with this call. */
export function programPart(
  { id, source, calls }: ProgramStatus,
  own: string,
  inputs: InputPolicy,
): Markup {
  const waiting = calls.filter(({ state }) => state === 'waiting').length;
  return html`<details class="rules program">
    <summary>
      The program that asks: ${calls.length - waiting} earlier
      ${calls.length - waiting === 1 ? 'call' : 'calls'}, ${waiting} waiting
    </summary>
    <p class="meta">
      An answer is for one call. It approves neither the program nor another call of it.
    </p>
    <h3>Source</h3>
    ${textBlock(isolated(source), `Source of the program ${id}`)}
    <h3>Calls</h3>
    <ol>
      ${calls.map((call) => html`<li>${callText(call, own, inputs)}</li>`)}
    </ol>
  </details>`;
}

function callText(
  { tool, input, state, approval, code }: ProgramCall,
  own: string,
  policy: InputPolicy,
): Markup {
  const name = html`<code>${isolated(tool)}</code>`;
  if (state === 'waiting' && approval !== undefined) {
    return approval === own
      ? html`${name} waits: this call`
      : html`${name} waits: <a href="/console/approvals/${approval}">its question</a>`;
  }
  // guard: program-inputs-as-audited
  const { text } = noteContent(JSON.stringify(input), policy);
  return html`${name} ${state}${code !== undefined && html` (${code})`}
  ${text === undefined ? ', its input is not shown, as audit.inputs says' : isolated(text)}`;
}
