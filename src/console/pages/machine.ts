import type { Guarantee } from '../../guests/walls/guarantees.js';
import { type Markup, html, said, table } from '../../report/html/markup.js';

/** A runner of a fleet, as its last heartbeat describes it: its words, not proofs. */
export interface ShownRunner {
  readonly name: string;
  readonly version: string;
  readonly state: string;
  readonly callsUnderWay: number;
  readonly maxCalls: number;
  /** Bytes. */
  readonly freeMemory: number;
  /** Milliseconds since 1970. */
  readonly heardAtMs: number;
  /** Why its audit log is not intact. Absent: it is, or it is not in NATS. */
  readonly auditBroken?: string;
}

/** Rows of runners on the page. Any process with the key of a runner can send heartbeats. */
const MAX_RUNNERS = 500;

/** The walls around guests on this machine, and the runners of a gateway. `undefined`: it is not a gateway. */
export function machinePage(
  walls: readonly Guarantee[],
  runners: readonly ShownRunner[] | undefined,
  now: number,
): Markup {
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
    </div>
    ${runners !== undefined && fleet(runners, now)}`;
}

/** What each state of a runner means. */
const STATES: Readonly<Record<string, string>> = {
  ready: 'ready',
  deaf: 'deaf: it does not hear this gateway, or does not trust its key',
  leaving: 'leaving: it finishes its calls and ends',
  silent: 'silent: it sends no heartbeats',
};

function fleet(runners: readonly ShownRunner[], now: number): Markup {
  if (runners.length === 0) {
    return html`<div class="card">
      <h2>Runners</h2>
      <p>No runner has been heard. Calls fail until one starts: see <code>docs/fleet.md</code>.</p>
    </div>`;
  }
  const shown = runners.slice(0, MAX_RUNNERS);
  const rest = runners.length - shown.length;
  return html`<div class="card">
    <h2>Runners</h2>
    ${table(
      'The runners of this gateway, as they describe themselves',
      [
        { title: 'Runner', cell: ({ name }: ShownRunner) => said(name.slice(0, 128)), as: 'head' },
        { title: 'State', cell: ({ state }) => STATES[state] ?? 'unknown', as: 'wrap' },
        {
          title: 'Calls',
          cell: ({ callsUnderWay, maxCalls }) => `${callsUnderWay} of ${maxCalls}`,
          as: 'num',
        },
        {
          title: 'Free memory',
          cell: ({ freeMemory }) => `${Math.floor(freeMemory / 2 ** 20)} MiB`,
          as: 'num',
        },
        { title: 'Version', cell: ({ version }) => said(version.slice(0, 64)) },
        {
          title: 'Last heard',
          cell: ({ heardAtMs }) => `${Math.max(0, Math.round((now - heardAtMs) / 1_000))} s ago`,
          as: 'num',
        },
        {
          title: 'Audit log in NATS',
          cell: ({ auditBroken }) =>
            auditBroken === undefined
              ? 'no fault found'
              : html`<span class="pill bad">not intact</span> ${said(auditBroken.slice(0, 256))}`,
          as: 'wrap',
        },
      ],
      shown,
    )}
    ${
      shown.some(({ auditBroken }) => auditBroken !== undefined) &&
      html`<p>
        Find out who changed a log that is not intact, and compare it with the calls of the
        gateways. <code>bulkhead fleet verify</code> reads all of them.
      </p>`
    }
    ${rest > 0 && html`<p>${rest} more are not shown.</p>`}
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
