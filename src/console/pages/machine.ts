import type { Guarantee } from '../../guests/walls/guarantees.js';
import { type Markup, html, table } from '../../report/html/markup.js';

/** The walls around guests on this machine. */
export function machinePage(walls: readonly Guarantee[]): Markup {
  const active = walls.filter((one) => one.active).length;
  const missing = walls.filter((one) => !one.active);
  return html`<p class="lead">
      <strong>${active} of ${walls.length} walls</strong> are active around each plugin’s process.
      They were tested on a guest of this machine.
    </p>
    ${
      missing.length > 0 &&
      html`<div class="card">
        <h2>Not active</h2>
        ${list(missing)}
      </div>`
    }
    <div class="card">
      <h2>Active</h2>
      ${list(walls.filter((one) => one.active))}
    </div>`;
}

function list(walls: readonly Guarantee[]): Markup {
  return table(
    'What each wall guarantees, and how that was checked',
    [
      { title: 'Wall', cell: (one: Guarantee) => one.wall, as: 'head' },
      { title: 'Guarantee', cell: ({ meaning }) => meaning, as: 'wrap' },
      {
        title: 'Checked',
        cell: ({ evidence, remedy }) =>
          html`${evidence}${remedy !== undefined && html`<br /><strong>To get it: </strong>${remedy}`}`,
        as: 'wrap',
      },
    ],
    walls,
  );
}
