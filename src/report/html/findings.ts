import type { Finding } from '../report.js';
import { html, type Markup, said } from './markup.js';

const WORDS: Readonly<Record<Finding['level'], string>> = {
  error: 'Look now',
  warning: 'Look',
  note: 'Note',
};

export function findingList(findings: readonly Finding[]): Markup {
  return html`<ul class="findings">
    ${findings.map(item)}
  </ul>`;
}

function item({ rule, level, message, fix, place, exception, excepted }: Finding): Markup {
  const tone = { error: 'bad', warning: 'warn', note: '' }[level];
  return html`<li class="finding ${excepted ? 'excepted' : level}">
    <p class="head">
      <span class="pill ${excepted ? '' : tone}">${excepted ? 'Excepted' : WORDS[level]}</span>
      <code>${rule}</code>
      ${place !== null && html`<span class="muted mono">${said(place.file)}${place.line !== undefined && `:${place.line}`}</span>`}
    </p>
    <p>${said(message)}</p>
    <p class="fix">${said(fix)}</p>
    ${
      exception !== null &&
      excepted &&
      html`<p class="fix">
        Until ${exception.until}, ${said(exception.owner)} answers for it: ${said(exception.reason)}
      </p>`
    }
  </li>`;
}
