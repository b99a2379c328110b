import type { PermissionName } from '../../permissions/kind.js';
import type { PluginReport } from '../report.js';
import { plural } from '../words.js';
import { type Markup, html } from './markup.js';

/** The content of a plugin's picture: its tools inside, and the targets outside its wall. */
export interface Reach {
  readonly inside: readonly Inside[];
  readonly beyond: readonly Uncovered[];
}

export interface Inside {
  readonly name: string;
  readonly note: string;
  /** Indices into `beyond`, with the number of uses. */
  readonly to: readonly { readonly index: number; readonly count: number }[];
}

export interface Uncovered {
  readonly kind: PermissionName | 'builtin';
  readonly text: string;
  readonly note: string;
  readonly state: 'used' | 'idle' | 'refused';
  readonly count: number;
}

/** The picture shows at most this many rows. The tables have the others. */
const MAX_INSIDE = 9;
const MAX_GRANTED = 9;
const MAX_REFUSED = 4;

export function reachOf(plugin: PluginReport): Reach {
  const granted = plugin.permissions
    .filter((permission) => permission.granted)
    .toSorted((a, b) => b.uses - a.uses);
  const doors = granted.slice(0, MAX_GRANTED).map(({ kind, scope, uses, observed }): Uncovered => ({
    kind,
    text: scope === 'true' ? WORDS[kind] : scope,
    note: observed ? (uses === 0 ? 'never used' : plural(uses, 'use')) : 'not observed',
    state: uses > 0 ? 'used' : 'idle',
    count: uses,
  }));
  const closed = plugin.denied.filter(({ grantedSince }) => !grantedSince);
  const refused = closed.slice(0, MAX_REFUSED).map(({ kind, wanted, count }): Uncovered => ({
    kind,
    text: wanted,
    note: `denied ${count === 1 ? 'once' : `${count}×`}`,
    state: 'refused',
    count,
  }));
  const tools = plugin.tools.toSorted((a, b) => b.calls - a.calls);
  const inside = tools.slice(0, MAX_INSIDE).map(({ tool, calls, risk, uses }): Inside => ({
    name: tool,
    note: [plural(calls, 'call'), ...(risk === null ? [] : [`${risk} risk`])].join(' · '),
    to: uses.flatMap(({ kind, scope, count }) => {
      const index = granted.findIndex((one) => one.kind === kind && one.scope === scope);
      return index >= 0 && index < doors.length ? [{ index, count }] : [];
    }),
  }));
  const more = tools.length - inside.length;
  return {
    inside:
      more > 0 ? [...inside, { name: `and ${more} more`, note: 'in the table', to: [] }] : inside,
    beyond: [...doors, ...refused],
  };
}

const WORDS: Readonly<Record<PermissionName, string>> = {
  network: 'the network',
  fs: 'files',
  env: 'variables',
  storage: 'its own storage',
  time: 'the clock',
  random: 'randomness',
  powers: 'powers of the host',
};

/** The picture in words, for screen readers. */
export function describeReach({ inside, beyond }: Reach, confined: boolean): string {
  const of = (state: Uncovered['state']): string =>
    beyond
      .filter((one) => one.state === state)
      .map(({ kind, text, note }) => `${kind} ${text} (${note})`)
      .join(', ');
  return [
    `${inside.map(({ name, note }) => `${name} (${note})`).join(', ') || 'No tools'} inside ${confined ? 'a compartment' : 'no compartment'}.`,
    `Reached: ${of('used') || 'nothing'}.`,
    `Granted and not observed in use: ${of('idle') || 'nothing'}.`,
    `Denied: ${of('refused') || 'nothing'}.`,
  ].join(' ');
}

/** A small drawing for each kind of permission, in a square of 18. */
const PATHS: Readonly<Record<PermissionName | 'builtin', string>> = {
  builtin: 'M3 4h10v8H3zM5.5 6.5l2 1.5l-2 1.5M8.5 9.5h2',
  network: 'M9 2a7 7 0 1 0 0 14a7 7 0 1 0 0-14M2 9h14M9 2c4 4 4 10 0 14M9 2c-4 4-4 10 0 14',
  fs: 'M2 4.5h5l1.6 2H16v8.5H2z',
  env: 'M3 5l4 4l-4 4M9 14h6',
  storage: 'M3 4.5c0-3 12-3 12 0v9c0 3-12 3-12 0zM3 4.5c0 3 12 3 12 0M3 9c0 3 12 3 12 0',
  time: 'M9 2a7 7 0 1 0 0 14a7 7 0 1 0 0-14M9 5v4l3 2',
  random: 'M3 3h12v12H3zM6.4 6.4h.1M11.6 6.4h.1M9 9h.1M6.4 11.6h.1M11.6 11.6h.1',
  powers: 'M10 1.5L4 10h4.5L8 16.5L14 8H9.5z',
};

export function icon(
  kind: PermissionName | 'builtin',
  x: number,
  y: number,
  state: string,
): Markup {
  return html`<path class="glyph ${state}" transform="translate(${x} ${y})" d="${PATHS[kind]}" />`;
}
