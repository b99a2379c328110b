import { html, type Markup } from './markup.js';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Markup | string;
  /** `head`: what the row is about. */
  readonly as?: 'head' | 'num' | 'wrap' | 'when';
}

/** A table that scrolls by itself where it is too wide, by keyboard as well. */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Markup {
  return html`<p class="legend" aria-hidden="true">${caption}</p>
    <div class="scroll" tabindex="0" role="group" aria-label="${caption}">
      <table>
        <caption class="unseen">
          ${caption}
        </caption>
        <thead>
          <tr>
            ${columns.map(
              ({ title, as }) =>
                html`<th scope="col" class="${as === 'num' ? 'num' : ''}">${title}</th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${columns.map((column) => cell(column, row))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

function cell<Row>({ cell: make, as }: Column<Row>, row: Row): Markup {
  if (as === 'head') return html`<th scope="row" class="wrap">${make(row)}</th>`;
  return html`<td class="${as ?? ''}">${make(row)}</td>`;
}
