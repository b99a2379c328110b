import { visible } from '../../visible.js';

/** Markup of this product, or escaped text. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | false | null | undefined | readonly Part[];

/**
 * Creates markup from a template. Every inserted value is escaped, unless it is markup. Untrusted text
 * enters a page only here.
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
  return (
    visible(text)
      .replaceAll('&', '&amp;')
      // guard: html-report-escaped
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;')
  );
}

/** Untrusted text. Its direction does not change the direction of the text beside it. */
export function said(text: string): Markup {
  return html`<bdi>${text}</bdi>`;
}

export function shorten(text: string, length: number): string {
  const shown = Array.from(visible(text));
  return shown.length <= length ? shown.join('') : `${shown.slice(0, length - 1).join('')}…`;
}

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Markup | string;
  /** `head`: the cell names the row. */
  readonly as?: 'head' | 'num' | 'wrap' | 'when';
}

/**
 * A table. On narrow screens each row becomes a block of lines, each with its column's title, so that
 * nothing lies beyond the edge. The roles keep it a table for screen readers.
 */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Markup {
  return html`<p class="legend" aria-hidden="true">${caption}</p>
    <table role="table">
      <caption class="unseen">
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(
            ({ title, as }) =>
              html`<th role="columnheader" scope="col" class="${as === 'num' ? 'num' : ''}">
                ${title}
              </th>`,
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row) =>
            html`<tr role="row">
              ${columns.map((column) => cell(column, row))}
            </tr>`,
        )}
      </tbody>
    </table>`;
}

function cell<Row>({ title, cell: make, as }: Column<Row>, row: Row): Markup {
  const content = make(row);
  if (as === 'head') return html`<th role="rowheader" scope="row" class="wrap">${content}</th>`;
  return html`<td role="cell" class="${as ?? ''}" data-title="${title}">${content}</td>`;
}
