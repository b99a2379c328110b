import { type Markup, html } from '../../report/html/markup.js';

/** The page behind the one-time link. Loading it does not spend the link: a program may load it in advance. */
export function enterPage(code: string): Markup {
  return html`<p class="lead">This link opens the console once.</p>
    <form method="post" action="/console/enter">
      <input type="hidden" name="code" value="${code}" />
      <p class="actions"><button autofocus>Open the console</button></p>
    </form>`;
}

/** The page for a browser without a session. `to`: the page that a link wanted. */
export function tokenPage({
  problem,
  to,
}: {
  readonly problem?: string;
  readonly to?: string | undefined;
}): Markup {
  return html`${problem !== undefined && html`<p class="notice bad" role="alert">${problem}</p>`}
    ${
      to !== undefined &&
      html`<p class="notice">
        You opened a link to one question. If this browser is in a session,
        <a href="${to}">open the question</a>.
      </p>`
    }
    <p class="lead">
      Open the link that <code>bulkhead console</code> printed at its start, or enter a token of
      this server.
    </p>
    <form method="post" action="/console/enter">
      ${to !== undefined && html`<input type="hidden" name="to" value="${to}" />`}
      <p>
        <label
          >Token to view, to answer or to administer
          <input type="password" name="token" autocomplete="off" required />
        </label>
      </p>
      <p class="actions"><button>Enter</button></p>
    </form>`;
}
