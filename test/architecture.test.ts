import { describe, expect, it } from 'vitest';
import { findCycles, findViolations } from './architecture/layers.js';
import { brokers } from '../src/brokers/broker.js';
import { permissionKinds } from '../src/permissions/table.js';
import { endowments } from '../sandbox/endowments/table.js';
import { exportsOf, readSources, type SourceFile } from './architecture/sources.js';

const MAX_LINES = 250;

/** Each of these is a promise to hosts: the burden of proof is on an addition. */
const PUBLIC: readonly string[] = [
  'BulkheadError',
  'HOOK_NAMES',
  'allowances',
  'anthropicModel',
  'createEngine',
  'explainCall',
  'explainPermissions',
  'formatAnchor',
  'grantedAfter',
  'isBulkheadError',
  'isChanged',
  'isRuleName',
  'makePendingApprovals',
  'makeReport',
  'openAiModel',
  'openLockBook',
  'openRules',
  'parseAnchors',
  'parseExceptions',
  'readAudit',
  'readPermissions',
  'reasonsToReview',
  'reportFormats',
  'reportRules',
  'scriptedModel',
  'sentenceOf',
  'suggestPermissions',
  'tellRecord',
  'textOf',
  'textParts',
  'type Acceptance',
  'type Agent',
  'type AgentOptions',
  'type Anchor',
  'type Answer',
  'type ApprovalRequest',
  'type Approver',
  'type Audit',
  'type AuditFilter',
  'type AuditOptions',
  'type AuditReader',
  'type AuditRecord',
  'type AuditStore',
  'type AuditVerdict',
  'type Block',
  'type BuildProblem',
  'type BulkheadEvent',
  'type CallAccount',
  'type CallOptions',
  'type CallRecord',
  'type CallResult',
  'type Catalog',
  'type CatalogTool',
  'type Changes',
  'type Collision',
  'type Compact',
  'type Condition',
  'type ContentBlock',
  'type CoreTool',
  'type CoreToolContext',
  'type CoreToolResult',
  'type CredentialSource',
  'type CredentialStore',
  'type Credentials',
  'type EffectMode',
  'type Endpoint',
  'type Engine',
  'type EngineHookOptions',
  'type EngineLimits',
  'type EngineOptions',
  'type EntryStatus',
  'type ErrorCode',
  'type ErrorDetails',
  'type EventListener',
  'type Examined',
  'type ExitReason',
  'type Finding',
  'type Foreseen',
  'type GrantPolicy',
  'type Guarantee',
  'type HeldRequest',
  'type HookDialect',
  'type HookName',
  'type HookOptions',
  'type HookOwner',
  'type HookReport',
  'type HookResult',
  'type Hooks',
  'type IdentityOptions',
  'type Json',
  'type JsonObject',
  'type Lock',
  'type LockBook',
  'type LockState',
  'type LockedPlugin',
  'type LockedTool',
  'type Logger',
  'type McpRemoteOptions',
  'type Message',
  'type Model',
  'type ModelReply',
  'type ModelRequest',
  'type ModelStream',
  'type ModelTool',
  'type NetworkOptions',
  'type OpenQuestion',
  'type PendingApprovals',
  'type Permissions',
  'type Pin',
  'type Plugin',
  'type PluginConfig',
  'type PluginGrant',
  'type PluginReport',
  'type PluginSecrets',
  'type PluginStatus',
  'type PowerContext',
  'type PowerDefinition',
  'type RemoteOptions',
  'type ReplayOptions',
  'type ReplayVerdict',
  'type Report',
  'type ReportFormat',
  'type ReportSources',
  'type RiskBand',
  'type RiskPolicy',
  'type Rule',
  'type RuleBook',
  'type SecretBinding',
  'type SecretPlace',
  'type SecretStatus',
  'type SpindleHost',
  'type StoppedEffect',
  'type SuggestedItem',
  'type SuggestedPermissions',
  'type Suggestion',
  'type Tolerance',
  'type ToolAnnotations',
  'type ToolAnswer',
  'type ToolPolicy',
  'type ToolSource',
  'type TurnEvent',
  'type TurnInput',
  'type TurnResult',
  'type Verdict',
  'type VertesiaRemoteOptions',
  'type WallName',
];

const product = readSources('sandbox', 'src');

describe('the tree', () => {
  it('imports only downwards, and crosses the trust line only at the wire', () => {
    expect(findViolations(product)).toEqual([]);
  });

  it('has no import cycle, types included', () => {
    expect(findCycles(product)).toEqual([]);
  });

  it(`has no file over ${MAX_LINES} lines`, () => {
    const long = [...product, ...readSources('test', 'bench')]
      .filter(({ lines }) => lines > MAX_LINES)
      .map(({ path, lines }) => `${path}: ${lines}`);
    expect(long).toEqual([]);
  });
});

describe('the tables of capabilities', () => {
  const kinds = Object.keys(permissionKinds).toSorted();

  it('has a broker for each kind of permission, or the reason why none is needed', () => {
    expect(Object.keys(brokers).toSorted()).toEqual(kinds);
  });

  it('has an endowment of the same name for each kind of permission', () => {
    const gated = Object.entries(endowments).filter(
      ([, { permission }]) => permission !== undefined,
    );
    expect(gated.map(([name]) => name).toSorted()).toEqual(kinds);
    for (const [name, { permission }] of gated) expect(permission).toBe(name);
  });
});

describe('the public surface', () => {
  it('is what src/index.ts exports by name, no more', () => {
    expect(exportsOf('src/index.ts')).toEqual(PUBLIC);
  });
});

describe('the table of layers', () => {
  it.each([
    ['src/permissions/network.ts', 'src/engine/engine.ts', 'upwards'],
    ['src/brokers/network.ts', 'src/guests/walls.ts', 'its sibling'],
    ['src/engine/engine.ts', 'sandbox/endowments/timers.ts', 'crosses the trust line'],
    ['sandbox/wire/peer.ts', 'src/errors.ts', 'crosses the trust line'],
    ['sandbox/endowments/timers.ts', 'node:timers', 'inside the boundary'],
    ['sandbox/guest.ts', 'pino', 'inside the boundary'],
    ['src/engine/engine.ts', 'node:fs', 'takes the power'],
    ['src/cli/call.ts', 'src/engine/engine.ts', 'may import only'],
    ['src/misc/things.ts', 'src/errors.ts', 'has no place'],
  ])('refuses that %s imports %s', (path, target, problem) => {
    expect(findViolations([file(path, target)]).join()).toContain(problem);
  });

  it('refuses a use of the global process outside the places that hold powers', () => {
    const uses = { ...file('src/engine/engine.ts'), processUses: ['env', 'platform'] };
    expect(findViolations([uses])).toEqual([
      'src/engine/engine.ts takes process.env instead of being passed it',
    ]);
    expect(findViolations([{ ...uses, path: 'src/guests/spawn.ts' }])).toEqual([]);
  });

  it('finds a cycle through three files', () => {
    expect(
      findCycles([
        file('src/a.ts', 'src/b.ts'),
        file('src/b.ts', 'src/c.ts'),
        file('src/c.ts', 'src/a.ts'),
      ]),
    ).toEqual(['src/a.ts → src/b.ts → src/c.ts → src/a.ts']);
  });
});

function file(path: string, ...imports: readonly string[]): SourceFile {
  return { path, lines: 1, imports, processUses: [] };
}
