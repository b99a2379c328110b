import type { PermissionName } from '../../permissions/kind.js';
import type { PluginReport } from '../report.js';
import { plural } from '../words.js';

/** What the picture of a plugin shows: who is inside, and what lies beyond each door of its wall. */
export interface Reach {
  readonly inside: readonly Inside[];
  readonly beyond: readonly Beyond[];
}

export interface Inside {
  readonly name: string;
  readonly note: string;
  /** Indices into `beyond`, with how often. */
  readonly to: readonly { readonly index: number; readonly count: number }[];
}

export interface Beyond {
  readonly kind: PermissionName;
  readonly text: string;
  readonly note: string;
  readonly state: 'used' | 'idle' | 'refused';
  readonly count: number;
}

/** More rows than this make no picture any more; the tables have the rest. */
const MAX_INSIDE = 9;
const MAX_GRANTED = 9;
const MAX_REFUSED = 4;

export function reachOf(plugin: PluginReport): Reach {
  const granted = plugin.permissions
    .filter((permission) => permission.granted)
    .toSorted((a, b) => b.uses - a.uses);
  const doors = granted.slice(0, MAX_GRANTED).map(({ kind, scope, uses, observed }): Beyond => ({
    kind,
    text: scope === 'true' ? WORDS[kind] : scope,
    note: observed ? (uses === 0 ? 'never used' : plural(uses, 'use')) : 'not seen',
    state: uses > 0 ? 'used' : 'idle',
    count: uses,
  }));
  const refused = plugin.denied.slice(0, MAX_REFUSED).map(({ kind, wanted, count }): Beyond => ({
    kind,
    text: wanted,
    note: `refused ${count === 1 ? 'once' : `${count}×`}`,
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
      more > 0 ? [...inside, { name: `and ${more} more`, note: 'see the table', to: [] }] : inside,
    beyond: [...doors, ...refused],
  };
}

const WORDS: Readonly<Record<PermissionName, string>> = {
  network: 'the network',
  filesystem: 'files',
  environment: 'variables',
  storage: 'its own storage',
  time: 'the clock',
  random: 'randomness',
  powers: 'powers of the host',
};

/** The picture in words, for whoever does not see it. */
export function tellReach({ inside, beyond }: Reach, confined: boolean): string {
  const of = (state: Beyond['state']): string =>
    beyond
      .filter((one) => one.state === state)
      .map(({ kind, text, note }) => `${kind} ${text} (${note})`)
      .join(', ');
  return [
    `${inside.map(({ name, note }) => `${name} (${note})`).join(', ') || 'No tools'} inside ${confined ? 'a compartment' : 'no compartment'}.`,
    `Reached: ${of('used') || 'nothing'}.`,
    `Granted and not seen in use: ${of('idle') || 'nothing'}.`,
    `Refused: ${of('refused') || 'nothing'}.`,
  ].join(' ');
}
