import type { Session } from './sessions.js';

/** Passed to handlers with each request. */
export interface Bindings {
  readonly session: Session;
  readonly form: URLSearchParams;
}

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
