import type { Markup } from '../report/html/markup.js';
import type { PagePath } from './pages/layout.js';
import type { Session } from './sessions.js';

/** Passed to handlers with each request. */
export interface Bindings {
  readonly session: Session;
  readonly form: URLSearchParams;
}

/** Shows a page of a session, under an entry of the navigation. */
export type ShowPage = (
  session: Session,
  title: string,
  path: PagePath,
  content: Markup,
) => Response;

export function htmlResponse(text: string, status = 200): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/html; charset=utf-8' } });
}

export function asset(text: string, type: string): Response {
  return new Response(text, { headers: { 'content-type': `${type}; charset=utf-8` } });
}

export function redirect(to: string, cookie?: string): Response {
  const headers = new Headers({ location: to });
  if (cookie !== undefined) headers.set('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}
