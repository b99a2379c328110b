import { type Markup, html } from '../../report/html/markup.js';
import { explainTarget, type Stop, type StopTarget } from '../../stops/stop.js';
import type { Session } from '../sessions.js';
import { clock, formToken } from './layout.js';

/** What is stopped, and the switches. */
export function stopPage(
  stops: readonly Stop[],
  plugins: readonly string[],
  session: Session,
): Markup {
  const may = session.rights.has('administer');
  const all = stops.some(({ target }) => 'everything' in target);
  return html`<p class="lead">
      A stop acts at once. It ends open and queued calls, kills the processes, withdraws approvals,
      and refuses new calls. It holds after a restart, until an operator removes it here.
    </p>
    <div class="card">
      <h2>Stopped now</h2>
      ${
        stops.length === 0
          ? html`<p>Nothing is stopped.</p>`
          : stops.map((stop) => inForce(stop, session, may))
      }
    </div>
    ${!may && html`<p class="notice">This session may not stop or resume.</p>`}
    ${
      may &&
      html`<div class="card">
        <h2>Stop</h2>
        ${!all && form(session, 'everything', 'Stop everything', html``)}
        ${
          plugins.length > 0 &&
          form(
            session,
            'plugin',
            'Stop this plugin',
            html`<label
              >Plugin
              <select name="id">
                ${plugins.map((id) => html`<option value="${id}">${id}</option>`)}
              </select>
            </label>`,
          )
        }
        ${form(
          session,
          'tenant',
          'Stop this tenant',
          html`<label>Tenant <input type="text" name="id" required autocomplete="off" /></label>`,
        )}
      </div>`
    }`;
}

function inForce({ target, by, reason, atMs }: Stop, session: Session, may: boolean): Markup {
  const what = explainTarget(target);
  return html`<div class="stopped">
    <h3><bdi>${what}</bdi></h3>
    <p class="meta">
      by <bdi>${by}</bdi> at ${clock(atMs)}${reason !== undefined && html`: <bdi>${reason}</bdi>`}
    </p>
    ${
      may &&
      html`<form class="armed" method="post" action="/console/resume">
        ${formToken(session)}${targetFields(target)}
        <p class="actions">
          <button class="second">Resume<span class="unseen"> ${what}</span></button>
        </p>
      </form>`
    }
  </div>`;
}

function targetFields(target: StopTarget): Markup {
  const kind = 'everything' in target ? 'everything' : 'plugin' in target ? 'plugin' : 'tenant';
  const id = 'plugin' in target ? target.plugin : 'tenant' in target ? target.tenant : '';
  return html`<input type="hidden" name="kind" value="${kind}" /><input
      type="hidden"
      name="id"
      value="${id}"
    />`;
}

function form(session: Session, kind: string, button: string, fields: Markup): Markup {
  return html`<form class="stopping" method="post" action="/console/stop">
    ${formToken(session)}<input type="hidden" name="kind" value="${kind}" />
    ${fields}
    <label
      >Reason (shown to the other operators) <input type="text" name="reason" autocomplete="off"
    /></label>
    <p class="actions"><button class="stop">${button}</button></p>
  </form>`;
}
