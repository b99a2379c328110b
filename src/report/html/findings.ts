import { type FindingGroup, groupFindings } from '../finding-groups.js';
import type { Finding } from '../report.js';
import { plural } from '../words.js';
import { type Markup, html, said } from './markup.js';

/** The anchor of each finding in the page. */
export type Anchors = ReadonlyMap<Finding, string>;

/** Findings of one cause shown before the others are folded. */
const SHOWN = 3;

const WORDS: Readonly<Record<Finding['level'], string>> = {
  error: 'Look now',
  warning: 'Look',
  note: 'Note',
};

const TONES: Readonly<Record<Finding['level'], string>> = {
  error: 'bad',
  warning: 'warn',
  note: '',
};

/**
 * The open findings of the whole report by cause, the most serious first. Each links to the finding
 * in its plugin's card.
 */
export function findingSummary(open: readonly Finding[], anchors: Anchors): Markup {
  if (open.length === 0) return html``;
  return html`<section class="card look" aria-labelledby="look">
    <h2 id="look">What to look at</h2>
    ${groupFindings(open).map((group) => summaryOf(group, anchors))}
  </section>`;
}

function summaryOf({ rule, level, about, findings }: FindingGroup, anchors: Anchors): Markup {
  const line = (finding: Finding): Markup =>
    html`<li><a href="#${anchors.get(finding) ?? 'main'}">${said(finding.message)}</a></li>`;
  return html`<div class="cause ${level}">
    <p class="head">
      <span class="pill ${TONES[level]}">${WORDS[level]}</span>
      <strong>${about}</strong>
      <code>${rule}</code>
    </p>
    ${level === 'note' ? folded(findings, line) : foldedList(findings, line, 'cause-list')}
  </div>`;
}

function folded(findings: readonly Finding[], line: (finding: Finding) => Markup): Markup {
  return html`<details>
    <summary>${plural(findings.length, 'finding')}</summary>
    <ul class="cause-list">
      ${findings.map(line)}
    </ul>
  </details>`;
}

/** The findings of one plugin, by cause, with their fixes. */
export function pluginFindings(findings: readonly Finding[], anchors: Anchors): Markup {
  return html`${groupFindings(findings).map((group) =>
    foldedList(group.findings, (finding) => item(finding, anchors), 'findings'),
  )}`;
}

function foldedList(
  findings: readonly Finding[],
  line: (finding: Finding) => Markup,
  style: string,
): Markup {
  const list = (some: readonly Finding[]): Markup =>
    html`<ul class="${style}">
      ${some.map(line)}
    </ul>`;
  // One more line takes the place of the fold.
  if (findings.length <= SHOWN + 1) return list(findings);
  return html`${list(findings.slice(0, SHOWN))}
    <details>
      <summary>and ${findings.length - SHOWN} more</summary>
      ${list(findings.slice(SHOWN))}
    </details>`;
}

function item(finding: Finding, anchors: Anchors): Markup {
  const { rule, level, message, fix, place, exception, excepted } = finding;
  return html`<li class="finding ${excepted ? 'excepted' : level}" id="${anchors.get(finding)}">
    <p class="head">
      <span class="pill ${excepted ? '' : TONES[level]}"
        >${excepted ? 'Excepted' : WORDS[level]}</span
      >
      <code>${rule}</code>
      ${place !== null && html`<span class="muted mono">${said(place.file)}${place.line !== undefined && `:${place.line}`}</span>`}
    </p>
    <p>${said(message)}</p>
    <p class="fix">${said(fix)}</p>
    ${
      exception !== null &&
      excepted &&
      html`<p class="fix">
        Accepted until ${exception.until} by ${said(exception.owner)}: ${said(exception.reason)}
      </p>`
    }
  </li>`;
}
