import type { PluginReport } from './report.js';

/** What another report says of its plugins, as far as it can be compared with. */
export type FormerPlugins = ReadonlyMap<string, FormerPlugin>;

interface FormerPlugin {
  readonly version: string | null;
  readonly granted: ReadonlySet<string>;
  readonly declared: ReadonlySet<string>;
  readonly bundles: string;
}

/** Reads a former report. What is none compares with nothing. */
export function readFormer(report: unknown): FormerPlugins | undefined {
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

/** What is new since then, and what went: as sentences, and as what got wider. */
export function compare(
  plugin: PluginReport,
  former: FormerPlugins | undefined,
): { readonly changes: readonly string[]; readonly wider: readonly string[] } {
  if (former === undefined) return { changes: [], wider: [] };
  const before = former.get(plugin.id);
  if (before === undefined) return { changes: ['It is new.'], wider: [] };
  const now = new Set(plugin.permissions.filter(({ granted }) => granted).map(textOf));
  const asked = new Set(plugin.permissions.filter(({ declared }) => declared).map(textOf));
  const gained = [...now].filter((text) => !before.granted.has(text));
  const lost = [...before.granted].filter((text) => !now.has(text));
  const wants = [...asked].filter((text) => !before.declared.has(text) && !gained.includes(text));
  return {
    changes: [
      ...(before.version === plugin.version
        ? []
        : [`Version ${before.version ?? 'none'} became ${plugin.version ?? 'none'}.`]),
      ...(before.bundles === JSON.stringify(plugin.bundles) ? [] : ['Its code has changed.']),
      ...gained.map((text) => `It was granted ${text}.`),
      ...wants.map((text) => `It asks for ${text}, and has not been granted it.`),
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
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

function versionOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
