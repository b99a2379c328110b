import type { AuditRecord } from '../../src/audit/record.js';
import type { CatalogTool } from '../../src/catalog/catalog.js';
import type { PluginStatus } from '../../src/engine/types/status.js';
import type { Permissions } from '../../src/permissions/kind.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';

export const NOW: number = Date.parse('2026-11-20T15:00:00Z');
export const DAY_MS = 86_400_000;

export type Loose = { readonly atMs: number; readonly type: string } & Readonly<
  Record<string, unknown>
>;

/** Records as a log has them; the chain is no concern of a report's. */
export async function* recordsOf(all: readonly Loose[]): AsyncGenerator<AuditRecord> {
  for (const [index, one] of all.toSorted((a, b) => a.atMs - b.atMs).entries()) {
    yield { ...one, seq: index + 1, prev: '', hash: '' } as unknown as AuditRecord;
  }
}

export function statusOf(
  id: string,
  more: Partial<PluginStatus> & {
    readonly permissions?: Partial<Permissions>;
    readonly host?: true;
  },
): PluginStatus {
  const declared = { ...NO_PERMISSIONS, ...more.permissions };
  return {
    id,
    format: 'pandora',
    directory: `/srv/plugins/${encodeURIComponent(id)}`,
    name: id,
    version: '1.0.0',
    description: undefined,
    state: 'active',
    problems: [],
    alerts: [],
    entries: [
      {
        key: 'tools',
        surface: 'tools',
        file: 'src/index.ts',
        confinement: more.host === true ? 'host' : 'compartment',
        bundle: `sha512-${id.length}aGVsbG8gd29ybGQgdGhpcyBpcyBhIGhhc2g=`,
        declared,
        effective: declared,
        secrets: [],
      },
    ],
    tools: [],
    ...more,
  };
}

export function tool(plugin: string, name: string, more: Partial<CatalogTool> = {}): CatalogTool {
  return {
    name: `${plugin}__${name}`,
    id: `${plugin}:${name}`,
    plugin,
    tool: name,
    title: name,
    description: name,
    inputSchema: {},
    annotations: {},
    timeoutMs: 1_000,
    declaredRisk: 'low',
    risk: 'low',
    riskWhy: 'it can change nothing',
    requireApproval: false,
    background: true,
    confinement: 'compartment',
    ...more,
  };
}

export function granted(
  plugin: string,
  permissions: Partial<Permissions>,
  more: object = {},
): Loose {
  const all = { ...NO_PERMISSIONS, ...permissions };
  return {
    atMs: NOW - 40 * DAY_MS,
    type: 'permissions-granted',
    plugin,
    entry: 'tools',
    version: '1.0.0',
    bundle: `sha512-${plugin.length}aGVsbG8gd29ybGQgdGhpcyBpcyBhIGhhc2g=`,
    confinement: 'compartment',
    declared: all,
    granted: all,
    ...more,
  };
}

/** A call and what it did: uses as `kind wanted`, denials as `!kind wanted at`. */
export function call(
  plugin: string,
  name: string,
  atMs: number,
  does: readonly string[] = [],
  more: object = {},
): Loose[] {
  const id = `call_${plugin}_${name}_${atMs}`;
  const about = { call: id, plugin, tool: name };
  return [
    { atMs, type: 'call-started', ...about, bundle: 'sha512-x', risk: 'low' },
    ...does.map((text): Loose => {
      const [kind = '', ...rest] = text.replace('!', '').split(' ');
      const at = rest.length > 1 && text.startsWith('!') ? rest.pop() : undefined;
      return {
        atMs: atMs + 1,
        type: text.startsWith('!') ? 'capability-denied' : 'capability-used',
        plugin,
        permission: kind,
        wanted: rest.join(' '),
        call: id,
        ...(at === undefined ? {} : { at }),
      };
    }),
    {
      atMs: atMs + 9,
      type: 'call-ended',
      ...about,
      outcome: 'ok',
      durationMs: 8 + (atMs % 40),
      ...more,
    },
  ];
}
