import type { PluginStatus } from '../engine/plugins/status.js';
import { scopeOfUse } from './coverage.js';
import type { PermissionReport, ToolReport } from './report.js';
import type { Usage } from './usage.js';

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
