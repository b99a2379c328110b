import { isRecord } from '../../sandbox/wire/json.js';
import type { PluginReport } from './report.js';

/** The plugins of a previous report. */
export type PreviousPlugins = ReadonlyMap<string, PreviousPlugin>;

interface PreviousPlugin {
  readonly version: string | null;
  readonly granted: ReadonlySet<string>;
  readonly declared: ReadonlySet<string>;
  readonly bundles: string;
}

/** Reads a previous report; `undefined` if it is not a report. */
export function readPrevious(report: unknown): PreviousPlugins | undefined {
  const plugins = memberOf(report, 'plugins');
  if (memberOf(report, 'format') !== 'bulkhead-report' || !Array.isArray(plugins)) return undefined;
  return new Map(
    plugins.map((plugin: unknown) => [
      String(memberOf(plugin, 'id')),
      {
        version: versionOf(memberOf(plugin, 'version')),
        granted: rowsWith(plugin, 'granted'),
        declared: rowsWith(plugin, 'declared'),
        bundles: JSON.stringify(memberOf(plugin, 'bundles')),
      },
    ]),
  );
}

/** The changes since the previous report as sentences, and the added permissions. */
export function compare(
  plugin: PluginReport,
  previous: PreviousPlugins | undefined,
): { readonly changes: readonly string[]; readonly wider: readonly string[] } {
  if (previous === undefined) return { changes: [], wider: [] };
  const before = previous.get(plugin.id);
  if (before === undefined) return { changes: ['This plugin is new.'], wider: [] };
  const now = new Set(plugin.permissions.filter(({ granted }) => granted).map(textOf));
  const asked = new Set(plugin.permissions.filter(({ declared }) => declared).map(textOf));
  const gained = [...now].filter((text) => !before.granted.has(text));
  const lost = [...before.granted].filter((text) => !now.has(text));
  const wants = [...asked].filter((text) => !before.declared.has(text) && !gained.includes(text));
  return {
    changes: [
      ...(before.version === plugin.version
        ? []
        : [`The version changed from ${before.version ?? 'none'} to ${plugin.version ?? 'none'}.`]),
      ...(before.bundles === JSON.stringify(plugin.bundles) ? [] : ['The code changed.']),
      ...gained.map((text) => `It was granted ${text}.`),
      ...wants.map((text) => `It now requests ${text}, which is not granted.`),
      ...lost.map((text) => `It no longer has ${text}.`),
    ],
    wider: [...gained, ...wants],
  };
}

function textOf({ kind, scope }: { readonly kind: string; readonly scope: string }): string {
  return scope === 'true' ? kind : `${kind} ${scope}`;
}

function rowsWith(plugin: unknown, flag: string): Set<string> {
  const rows = memberOf(plugin, 'permissions');
  if (!Array.isArray(rows)) return new Set();
  return new Set(
    rows
      .filter((row: unknown) => memberOf(row, flag) === true)
      .map((row: unknown) =>
        textOf({ kind: String(memberOf(row, 'kind')), scope: String(memberOf(row, 'scope')) }),
      ),
  );
}

function memberOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function versionOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
