import { type Markup, html, shorten } from '../../report/html/markup.js';
import type { DescribedChange } from '../../lock/describe-changes.js';
import { visibleCode, visibleText } from '../../visible.js';
import type { Session } from '../sessions.js';
import type { ReviewedUpdate } from '../updates.js';
import { formToken } from './layout.js';
import { textBlock } from './value.js';

/** Characters of one file's difference on the page. */
const MAX_DIFF = 20_000;
const MAX_FILES = 100;

/** What the current version of a plugin changes, and the button that accepts it. */
export function updatePage(id: string, update: ReviewedUpdate, session: Session): Markup {
  const { changes, reasons } = update;
  return html`<p class="lead">
      ${
        changes.length === 0
          ? html`The current version of <code><bdi>${id}</bdi></code> is the accepted one.`
          : html`The current version of <code><bdi>${id}</bdi></code> differs from the accepted one,
              which runs.
              ${
                reasons.length > 0
                  ? html`<strong>It asks for more than before.</strong>`
                  : 'It asks for nothing more than before.'
              }`
      }
    </p>
    <p><a href="/console/plugins">Back to the plugins</a></p>
    ${changes.length > 0 && difference(id, update, session)}`;
}

function difference(id: string, update: ReviewedUpdate, session: Session): Markup {
  const { changes, code, refusal, artifact } = update;
  return html`<div class="card">
      <h2>What changed</h2>
      <ul class="permissions">
        ${changes.map(item)}
      </ul>
    </div>
    <div class="card">
      <h2>Its code</h2>
      ${sources(code)}
    </div>
    <div class="card">
      <h2>Accept it</h2>
      ${
        refusal === undefined
          ? html`<form class="armed" method="post" action="/console/plugins/accept">
              ${formToken(session)}<input type="hidden" name="plugin" value="${id}" />
              <input type="hidden" name="artifact" value="${artifact}" />
              <p class="actions">
                <button>Accept this version</button>
                <span class="meta"
                  >It gets what it asks for now, and runs at once. Its calls end. The lock file
                  keeps the version before: <code>bulkhead rollback</code>.</span
                >
              </p>
            </form>`
          : html`<p class="notice bad">${shorten(refusal, 600)}</p>`
      }
    </div>`;
}

const SIGNS = { more: ['more', '+'], less: ['less', '−'], other: ['changed', '~'] } as const;

function item({ kind, text, details }: DescribedChange, index: number): Markup {
  const [word, sign] = SIGNS[kind];
  return html`<li>
    <span class="pill ${kind === 'more' ? 'bad' : ''}">${sign} ${word}</span>
    <bdi>${shorten(text, 600)}</bdi>
    ${details.map(
      ({ part, before, after }) =>
        html`<details>
          <summary>The ${part}, before and after</summary>
          ${
            before === undefined
              ? html`<p class="meta">The accepted text is not stored on this machine. Now</p>`
              : html`<p class="meta">Before</p>
                  ${textBlock(visibleText(before.slice(0, MAX_DIFF)), `The ${part} before, of change ${index + 1}`)}
                  <p class="meta">Now</p>`
          }
          ${textBlock(visibleText(after.slice(0, MAX_DIFF)), `The ${part} now, of change ${index + 1}`)}
        </details>`,
    )}
  </li>`;
}

function sources(code: ReviewedUpdate['code']): Markup {
  if (code.some(({ change }) => change === 'unknown')) {
    return html`<p>
      The accepted sources are not stored on this machine, so they are not compared.
    </p>`;
  }
  if (code.length === 0) return html`<p>No source file changed.</p>`;
  return html`${code.slice(0, MAX_FILES).map(
    ({ file, change, diff }) =>
      html`<details>
        <summary><bdi>${shorten(file, 200)}</bdi> ${change}</summary>
        ${textBlock(visibleCode(diff.slice(0, MAX_DIFF)), `Difference of ${file}`)}
        ${diff.length > MAX_DIFF && html`<p class="meta">The rest is not shown: <code>bulkhead update --code</code>.</p>`}
      </details>`,
  )}
  ${code.length > MAX_FILES && html`<p class="meta">And ${code.length - MAX_FILES} more files.</p>`}`;
}
