import { formatAnswerer } from '../audit/why.js';
import { packageOf } from '../plugin/package-path.js';
import type { PluginStatus } from '../engine/types/status.js';
import {
  type Held,
  type Suggested,
  allows,
  permissionRows,
  safeScopes,
  scopeOfUse,
  undeclaredIn,
} from './permission-rows.js';
import { type Pin, reportPin } from './pins.js';
import type {
  ApprovalReport,
  Counted,
  DeniedReport,
  PackageReport,
  PermissionReport,
  PluginReport,
  SecretReport,
  ToolReport,
} from './report.js';
import { type Usage, measureActivity } from './usage.js';

export interface PluginFacts {
  readonly id: string;
  readonly status: PluginStatus | undefined;
  readonly usage: Usage | undefined;
  readonly pin: Pin | undefined;
  /** What its code was read to need. */
  readonly suggested: readonly Suggested[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** Everything that is known of one plugin, put together. */
export function describePlugin({
  id,
  status,
  usage,
  pin,
  suggested,
  fromMs,
  toMs,
}: PluginFacts): PluginReport {
  const grants = [...(usage?.grants.values() ?? [])].map(({ last }) => last);
  const held = heldBy(status, grants);
  const permissions = permissionRows(held, usage);
  const confined = (status?.entries ?? grants).every(({ confinement }) => confinement !== 'host');
  return {
    id,
    name: status?.name ?? id,
    format: status?.format ?? null,
    version: status?.version ?? grants.at(-1)?.version ?? null,
    directory: status?.directory ?? usage?.directory ?? null,
    state: status?.state ?? 'gone',
    confinement: status?.confinement ?? (confined ? 'compartment' : 'host'),
    bundles: bundlesOf(status, grants),
    pin: reportPin(pin, status),
    packages: packageRows(pin, usage),
    permissions,
    denied: deniedRows(usage, held),
    undeclared: undeclaredIn(suggested, pin, held),
    secrets: secretRows(usage),
    tools: toolRows(status, usage, permissions),
    approvals: approvalsOf(usage),
    limits: countBy(
      (usage?.calls ?? []).flatMap(({ code, atMs }) =>
        code !== undefined && LIMITS.has(code) ? [{ what: code, atMs }] : [],
      ),
    ),
    ends: countBy((usage?.ends ?? []).map(({ cause, atMs }) => ({ what: cause, atMs }))),
    activity: measureActivity(usage, fromMs, toMs),
    changes: [],
  };
}

/** Codes that say that something ran into a cap. */
const LIMITS: ReadonlySet<string> = new Set([
  'DEADLINE_EXCEEDED',
  'NETWORK_LIMIT',
  'FILESYSTEM_LIMIT',
  'STORAGE_LIMIT',
  'RESULT_TOO_LARGE',
  'GUEST_OUT_OF_MEMORY',
  'GUEST_OUT_OF_CPU',
  'PROTOCOL_VIOLATION',
  'QUARANTINED',
  'BUSY',
]);

type Grants = readonly {
  readonly entry: string;
  readonly bundle: string;
  readonly declared: Held['declared'][number];
  readonly granted: Held['granted'][number];
}[];

/** What the log says that it was granted counts; without it, what it is granted where it stands. */
function heldBy(status: PluginStatus | undefined, grants: Grants): Held {
  return {
    declared:
      status === undefined
        ? grants.map(({ declared }) => declared)
        : status.entries.map(({ declared }) => declared),
    granted:
      grants.length > 0
        ? grants.map(({ granted }) => granted)
        : (status?.entries ?? []).map(({ effective }) => effective),
  };
}

function bundlesOf(status: PluginStatus | undefined, grants: Grants): Record<string, string> {
  const installed = (status?.entries ?? []).flatMap(({ key, bundle }) =>
    bundle === undefined ? [] : [[key, bundle] as const],
  );
  return Object.fromEntries(
    installed.length > 0 ? installed : grants.map(({ entry, bundle }) => [entry, bundle]),
  );
}

function packageRows(pin: Pin | undefined, usage: Usage | undefined): PackageReport[] {
  return (pin?.packages ?? []).map((one) => ({
    ...one,
    denied: (usage?.denied ?? []).filter(({ at }) => packageOf(at ?? '') === one.path).length,
  }));
}

function deniedRows(usage: Usage | undefined, { granted }: Held): DeniedReport[] {
  // Where the denial itself does not say the line, the call that it ended does.
  const lineOf = new Map((usage?.calls ?? []).map(({ call, at }) => [call, at]));
  const rows = new Map<string, DeniedReport & { readonly lastMs: number }>();
  for (const { permission: kind, wanted, at, call, atMs, heldThen } of usage?.denied ?? []) {
    const place = at ?? (call === undefined ? undefined : lineOf.get(call)) ?? null;
    const key = JSON.stringify([kind, wanted, place]);
    const known = rows.get(key);
    const lastMs = Math.max(atMs, known?.lastMs ?? 0);
    rows.set(key, {
      kind,
      wanted,
      at: place,
      count: (known?.count ?? 0) + 1,
      last: new Date(lastMs).toISOString(),
      grantedSince:
        known?.grantedSince !== false && isGrantedSince(kind, wanted, heldThen, granted),
      lastMs,
    });
  }
  return [...rows.values()]
    .toSorted((a, b) => b.count - a.count || b.lastMs - a.lastMs)
    .map(({ lastMs: _lastMs, ...row }) => row);
}

/**
 * Whether the plugin lacked the permission then, and has it now. A denial although the plugin had the permission,
 * for example of a private address or of one of its packages, has another cause, which no grant removes.
 */
function isGrantedSince(
  kind: DeniedReport['kind'],
  wanted: string,
  heldThen: Held['granted'],
  granted: Held['granted'],
): boolean {
  if (kind === 'builtin' || heldThen.length === 0) return false;
  const [then, now] = [heldThen, granted].map((held) =>
    allows(
      kind,
      wanted,
      held.flatMap((one) => safeScopes(one, kind)),
    ),
  );
  return then === false && now === true;
}

function secretRows(usage: Usage | undefined): SecretReport[] {
  const rows = new Map<string, SecretReport>();
  for (const { secret: name, host, type } of usage?.secrets ?? []) {
    const key = `${name} ${host}`;
    const known = rows.get(key) ?? { name, host, sent: 0, withheld: 0, scrubbed: 0 };
    rows.set(key, {
      ...known,
      sent: known.sent + (type === 'secret-inserted' ? 1 : 0),
      withheld: known.withheld + (type === 'secret-withheld' ? 1 : 0),
      scrubbed: known.scrubbed + (type === 'secret-scrubbed' ? 1 : 0),
    });
  }
  return [...rows.values()];
}

const MAX_RECENT = 10;

function approvalsOf(usage: Usage | undefined): ApprovalReport {
  const { answers = [], asked = [] } = usage ?? {};
  // Rules, flags and programs answer at once.
  const waits = answers
    // guard: people-only-count-as-people
    .filter(({ approver }) => approver === 'person')
    .map(({ waitedMs }) => waitedMs)
    .toSorted((a, b) => a - b);
  return {
    asked: asked.length,
    given: answers.filter(({ type }) => type === 'approval-given').length,
    refused: answers.filter(({ type }) => type === 'approval-refused').length,
    medianWaitMs: waits[Math.floor((waits.length - 1) / 2)] ?? null,
    longestWaitMs: waits.at(-1) ?? null,
    busiestHour: busiestHourOf(asked),
    saver: saverOf(answers),
    recent: answers
      .toReversed()
      .slice(0, MAX_RECENT)
      .map((answer) => ({
        at: new Date(answer.atMs).toISOString(),
        tool: answer.tool,
        verdict: answer.type === 'approval-given' ? answer.verdict : answer.code,
        by: formatAnswerer(answer).replace(/^ by /, '') || null,
        waitedMs: answer.waitedMs,
      })),
  };
}

const HOUR_MS = 3_600_000;

function busiestHourOf(asked: Usage['asked']): number {
  const times = asked.map(({ atMs }) => atMs).toSorted((a, b) => a - b);
  let first = 0;
  let most = 0;
  for (const [last, atMs] of times.entries()) {
    while (atMs - (times[first] ?? atMs) >= HOUR_MS) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

function saverOf(answers: Usage['answers']): ApprovalReport['saver'] {
  const counts = new Map<string, number>();
  for (const { type, kind, tool, risk, approver } of answers) {
    // No rule can allow high risk, and none should allow what a person denied.
    const isSaved =
      type === 'approval-given' && approver === 'person' && kind === 'call' && risk !== 'high';
    if (isSaved) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
  return most === undefined || most[1] < 2 ? null : { tool: most[0], questions: most[1] - 1 };
}

function countBy(all: readonly { readonly what: string; readonly atMs: number }[]): Counted[] {
  const counts = new Map<string, { count: number; lastMs: number }>();
  for (const { what, atMs } of all) {
    const known = counts.get(what) ?? { count: 0, lastMs: 0 };
    counts.set(what, { count: known.count + 1, lastMs: Math.max(known.lastMs, atMs) });
  }
  return [...counts]
    .toSorted(([, a], [, b]) => b.count - a.count)
    .map(([what, { count, lastMs }]) => ({ what, count, last: new Date(lastMs).toISOString() }));
}

/** A row for every tool that is offered, or was called. */
export function toolRows(
  status: PluginStatus | undefined,
  usage: Usage | undefined,
  permissions: readonly PermissionReport[],
): ToolReport[] {
  const offered = new Map((status?.tools ?? []).map((tool) => [tool.tool, tool]));
  const called = (usage?.calls ?? []).map(({ tool }) => tool);
  return [...new Set([...offered.keys(), ...called])].toSorted().map((tool): ToolReport => {
    const listed = offered.get(tool);
    const calls = (usage?.calls ?? []).filter((call) => call.tool === tool);
    const times = calls.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
    const lastMs = Math.max(...calls.map(({ atMs }) => atMs));
    return {
      tool,
      declaredRisk: listed?.declaredRisk ?? null,
      risk: listed?.risk ?? null,
      why: listed?.riskWhy ?? null,
      calls: calls.length,
      failed: calls.filter(({ outcome }) => outcome === 'error').length,
      last: calls.length === 0 ? null : new Date(lastMs).toISOString(),
      medianMs: round(times[Math.floor((times.length - 1) / 2)]),
      slowestMs: round(times.at(-1)),
      uses: usesOf(tool, usage, permissions),
    };
  });
}

function usesOf(
  tool: string,
  usage: Usage | undefined,
  permissions: readonly PermissionReport[],
): ToolReport['uses'] {
  const counts = new Map<string, ToolReport['uses'][number]>();
  for (const use of usage?.uses ?? []) {
    if (use.tool !== tool) continue;
    const scopes = permissions
      .filter(({ kind, granted }) => kind === use.kind && granted)
      .map(({ scope }) => scope);
    const scope = scopeOfUse(use.kind, use.wanted, scopes);
    if (scope === undefined) continue;
    const key = `${use.kind} ${scope}`;
    counts.set(key, { kind: use.kind, scope, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

function round(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms * 10) / 10;
}
