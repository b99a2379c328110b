import { Markup, html } from '../../report/html/markup.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import { isolatedJson } from '../../visible.js';

/**
 * A value as indented JSON, whole: characters that are invisible or reorder text are escaped, and a string with
 * right-to-left text does not reorder what stands beside it.
 */
export function valueBlock(value: Json, label: string): Markup {
  return textBlock(isolatedJson(value), label);
}

/** Lines of text whose right-to-left parts are marked by isolates. */
export function textBlock(text: string, label: string): Markup {
  const lines = text.split('\n').flatMap((line, index) => [index > 0 && NEW_LINE, isolates(line)]);
  return html`<pre class="value" tabindex="0" role="region" aria-label="${label}">${lines}</pre>`;
}

const NEW_LINE = new Markup('\n');

function isolates(line: string): Markup[] {
  return line
    .split(/\u2068([^\u2069]*)\u2069/u)
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<bdi>${part}</bdi>`));
}
