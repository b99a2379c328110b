import type { PluginProblem, PluginStatus } from '../../engine/types/status.js';
import type { Permissions } from '../../permissions/kind.js';
import { diffPermissions, unionOf } from '../../permissions/permissions.js';
import { visible } from '../../visible.js';
import type { Paint } from '../output.js';

/** What an author sees of the plugins, for comparing two versions. */
export interface Snapshot {
  /** By name: the parts of each tool that a model or an approver sees. */
  readonly tools: ReadonlyMap<string, ToolParts>;
  /** By plugin id. */
  readonly permissions: ReadonlyMap<string, Permissions>;
  readonly problems: readonly PluginProblem[];
  /** The hashes of the code. */
  readonly code: string;
}

type ToolParts = Readonly<Record<'description' | 'input' | 'output' | 'risk' | 'approval', string>>;

export function snapshotOf(plugins: readonly PluginStatus[]): Snapshot {
  const tools = plugins.flatMap((plugin) => plugin.tools);
  const isAlone = new Set(tools.map(({ plugin }) => plugin)).size < 2;
  return {
    tools: new Map(
      tools.map((tool) => [
        isAlone ? tool.tool : tool.name,
        {
          description: `${tool.title}\n${tool.description}`,
          input: JSON.stringify(tool.inputSchema),
          output: JSON.stringify(tool.outputSchema),
          risk: tool.risk,
          approval: String(tool.asks !== undefined),
        },
      ]),
    ),
    permissions: new Map(
      plugins.map(({ id, entries }) => [id, unionOf(entries.map(({ declared }) => declared))]),
    ),
    problems: plugins.flatMap(({ problems }) => problems),
    code: plugins.flatMap(({ entries }) => entries.map(({ bundle }) => bundle)).join(),
  };
}

/** One line for each difference in tools and permissions: `+` more, `-` less, `~` changed. */
export function describeChanges(before: Snapshot, after: Snapshot, paint: Paint): string[] {
  const more = (text: string): string => paint('green', `  + ${visible(text)}`);
  const less = (text: string): string => paint('red', `  - ${visible(text)}`);
  const ids = new Set([...before.permissions.keys(), ...after.permissions.keys()]);
  const permissions = [...ids].flatMap((id) => {
    const { wider, narrower } = diffPermissions(
      before.permissions.get(id) ?? unionOf([]),
      after.permissions.get(id) ?? unionOf([]),
    );
    return [
      ...wider.map(({ kind, scope }) => more(`permission ${scopedName(kind, scope)}`)),
      ...narrower.map(({ kind, scope }) => less(`permission ${scopedName(kind, scope)}`)),
    ];
  });
  const added = [...after.tools.keys()].filter((name) => !before.tools.has(name));
  const removed = [...before.tools.keys()].filter((name) => !after.tools.has(name));
  const changed = [...after.tools].flatMap(([name, parts]) => {
    const former = before.tools.get(name);
    const what = former === undefined ? [] : changedParts(former, parts);
    return what.length === 0 ? [] : [`  ~ tool ${visible(name)}: ${what.join(', ')}`];
  });
  return [
    ...added.map((name) => more(`tool ${name}`)),
    ...removed.map((name) => less(`tool ${name}`)),
    ...changed,
    ...permissions,
  ];
}

/** `network api.example.com`; a kind without scopes has its name alone. */
export function scopedName(kind: string, scope: string): string {
  return scope === 'true' ? kind : `${kind} ${scope}`;
}

const PARTS = ['description', 'input', 'output', 'risk', 'approval'] as const;

function changedParts(before: ToolParts, after: ToolParts): string[] {
  return PARTS.filter((part) => before[part] !== after[part]).map((part) =>
    part === 'risk' ? `risk ${before.risk} → ${after.risk}` : part,
  );
}
