import { visible } from '../../visible.js';

/** Markup that is our own, or was escaped on its way in. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | false | null | undefined | readonly Part[];

/**
 * Makes markup of a template. Whatever is put in is text, and shown as such, unless it is markup
 * itself: the only way in for a stranger's words.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(
    strings.map((text, index) => (index === 0 ? text : write(parts[index - 1]) + text)).join(''),
  );
}

function write(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object' && part !== null) return part.map(write).join('');
  if (part === undefined || part === null || part === false) return '';
  return escapeHtml(String(part));
}

/** Safe as text and inside a quoted attribute. Characters that steer or hide text become visible. */
export function escapeHtml(text: string): string {
  return visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** A stranger's text: whichever way it is written, it turns nothing round beside it. */
export function said(text: string): Markup {
  return html`<bdi>${text}</bdi>`;
}

export function shorten(text: string, length: number): string {
  const shown = Array.from(visible(text));
  return shown.length <= length ? shown.join('') : `${shown.slice(0, length - 1).join('')}…`;
}
