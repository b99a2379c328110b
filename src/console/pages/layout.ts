import { type Markup, html } from '../../report/html/markup.js';
import { explainTarget, type Stop } from '../../stops/stop.js';
import type { Session } from '../sessions.js';

/** What every page shows around its content. */
export interface Frame {
  readonly session: Session;
  readonly pending: number;
  /** What the operator stopped. */
  readonly stops: readonly Stop[];
}

const PAGES = [
  ['/console/', 'Approvals'],
  ['/console/plugins', 'Plugins'],
  ['/console/calls', 'Calls'],
  ['/console/audit', 'Audit'],
  ['/console/machine', 'Machine'],
  ['/console/stop', 'Stop'],
] as const;

export type PagePath = (typeof PAGES)[number][0];

/** A whole page. `path` is the entry of the navigation that it belongs to. */
export function page(title: string, path: PagePath, frame: Frame, content: Markup): string {
  return documentOf(
    title,
    html`<header class="bar">
        <p class="brand"><a href="/console/">Bulkhead</a> <span>console</span></p>
        <nav aria-label="Pages">
          <ul>
            ${PAGES.map(
              ([to, name]) =>
                html`<li>
                  <a
                    href="${to}"
                    ${to === path && html`aria-current="page"`}
                    ${to === '/console/stop' && html`class="danger"`}
                    >${name}${to === '/console/' && count(frame.pending)}</a
                  >
                </li>`,
            )}
          </ul>
        </nav>
      </header>
      <div class="page">
        <p id="live" class="live" role="status"></p>
        <main id="main">
          <h1>${title}</h1>
          ${path !== '/console/stop' && stopNotice(frame.stops)} ${content}
        </main>
        <footer>
          <p>
            You are ${frame.session.by}. This session may ${[...frame.session.rights].join(', ')}.
          </p>
          <form method="post" action="/console/leave">
            ${formToken(frame.session)}<button class="quiet">End this session</button>
          </form>
          <p>Texts in “quotation marks” are a plugin’s or its author’s words, not Bulkhead’s.</p>
        </footer>
      </div>`,
    true,
  );
}

function stopNotice(stops: readonly Stop[]): Markup {
  if (stops.length === 0) return html``;
  const first = stops.slice(0, 3).map(({ target }) => explainTarget(target));
  const more = stops.length > 3 ? ` and ${stops.length - 3} more` : '';
  return html`<p class="notice bad">
    Stopped: <bdi>${first.join(', ')}</bdi>${more}. <a href="/console/stop">Show</a>
  </p>`;
}

function count(pending: number): Markup {
  return html`<span id="pending" class="badge" ${pending === 0 && html`hidden`}
    >${pending}<span class="unseen"> waiting</span></span
  >`;
}

/** A page for a browser that is not in a session. */
export function barePage(title: string, content: Markup): string {
  return documentOf(
    title,
    html`<div class="page small">
      <main id="main">
        <p class="eyebrow">Bulkhead · console</p>
        <h1>${title}</h1>
        ${content}
      </main>
    </div>`,
    false,
  );
}

function documentOf(title: string, body: Markup, live: boolean): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Bulkhead console</title>
        <link rel="stylesheet" href="/console/console.css" />
        <link rel="icon" href="/console/icon.svg" type="image/svg+xml" />
        ${live && html`<script src="/console/console.js" defer></script>`}
      </head>
      <body>
        <a class="skip" href="#main">To the content</a>
        ${body}
      </body>
    </html> `.text;
}

/** The field that shows that a form comes from this session's page. */
export function formToken(session: Session): Markup {
  return html`<input type="hidden" name="form" value="${session.formToken}" />`;
}

/** Words of a plugin, marked as such. */
export function quoted(text: string): Markup {
  return html`<q class="theirs"><bdi>${text}</bdi></q>`;
}

/** A moment as a person reads it, in UTC. */
export function clock(atMs: number): Markup {
  const iso = new Date(atMs).toISOString();
  return html`<time datetime="${iso}">${iso.slice(11, 19)} UTC</time>`;
}

/** How long ago: `12 s`, `3 min`, `2 h`. */
export function since(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

export function riskPill(risk: 'low' | 'medium' | 'high'): Markup {
  const tone = { low: 'good', medium: 'warn', high: 'bad' }[risk];
  const shape = { low: '●', medium: '▲', high: '■' }[risk];
  return html`<span class="pill ${tone}"
    ><span aria-hidden="true">${shape} </span>${risk} risk</span
  >`;
}
