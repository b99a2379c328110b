export { createEngine } from './agent/engine.js';
export type { Engine } from './agent/engine.js';
export type { Agent } from './agent/agent.js';
export type {
  AgentOptions,
  Compact,
  ExitReason,
  TurnEvent,
  TurnInput,
  TurnResult,
} from './agent/options.js';
export type { Block, Message } from './agent/message.js';
export type { Model, ModelReply, ModelRequest, ModelStream, ModelTool } from './agent/model.js';
export { anthropicModel } from './agent/models/anthropic.js';
export type { Endpoint } from './agent/models/endpoint.js';
export { openAiModel } from './agent/models/openai.js';
export { scriptedModel } from './agent/models/scripted.js';
export type { CoreTool, CoreToolContext, CoreToolResult } from './engine/plugins/core-tool.js';
export type { Collision, ToolSource } from './catalog/precedence.js';
export { BulkheadError, isBulkheadError } from './errors.js';
export type { BuildProblem, ErrorCode, ErrorDetails } from './errors.js';
export type { BulkheadEvent, EventListener } from './events.js';
export type {
  Answer,
  ApprovalRequest,
  Approver,
  HeldRequest,
  Verdict,
} from './approval/approver.js';
export type { ToolPolicy } from './approval/policy.js';
export type { Condition, Rule } from './approval/rule.js';
export type { RuleBook } from './approval/rule-book.js';
export { makePendingApprovals } from './approval/pending.js';
export type { PendingApprovals } from './approval/pending.js';
export { sentenceOf } from './approval/sentence.js';
export type { Foreseen } from './engine/call/consent.js';
export type { EffectMode } from './approval/effect-mode.js';
export type { StoppedEffect } from './engine/call/stopped.js';
export { openLockBook } from './engine/lock/lock-book.js';
export type { Acceptance, LockBook, LockState } from './engine/lock/lock-book.js';
export { allowances, grantedAfter } from './engine/lock/allowances.js';
export type { Examined } from './engine/lock/examine.js';
export { openRules } from './engine/options/open-rules.js';
export { type Changes, isChanged, reasonsToReview } from './lock/changes.js';
export type { Lock, LockedPlugin, LockedTool, Pin } from './lock/lock.js';
export { formatAnchor, parseAnchors } from './audit/anchor.js';
export type { Anchor } from './audit/anchor.js';
export type { Audit } from './audit/audit.js';
export type { AuditOptions } from './audit/options.js';
export type { AuditFilter } from './audit/query.js';
export { tellRecord } from './audit/tell.js';
export { readAudit } from './audit/read.js';
export type { AuditReader } from './audit/read.js';
export type { AuditRecord } from './audit/record.js';
export type { AuditStore } from './audit/store.js';
export type { AuditVerdict } from './audit/verify.js';
export { explainCall } from './audit/why.js';
export type { CallAccount } from './audit/why.js';
export type { RiskPolicy } from './approval/risk.js';
export type { Tolerance } from './approval/tolerance.js';
export type { PowerContext, PowerDefinition } from './brokers/powers/definition.js';
export type { SecretBinding } from './brokers/network/secrets/binding.js';
export type { SecretPlace } from './brokers/network/secrets/secret.js';
export type { Catalog, CatalogTool, ToolAnnotations } from './catalog/catalog.js';
export type {
  Credentials,
  CredentialSource,
  CredentialStore,
} from './engine/options/credentials.js';
export type { SpindleHost } from './engine/spindle/spindle-host.js';
export type { EngineLimits } from './engine/options/limits.js';
export type {
  CallOptions,
  EngineOptions,
  GrantPolicy,
  Logger,
  NetworkOptions,
  PluginConfig,
  PluginGrant,
  PluginSecrets,
} from './engine/options/options.js';
export type { CallRecord } from './engine/recording/record.js';
export { parseExceptions } from './report/exceptions.js';
export { reportFormats } from './report/formats.js';
export type { ReportFormat } from './report/formats.js';
export { makeReport } from './report/make-report.js';
export type { ReportSources } from './report/make-report.js';
export type { Finding, PluginReport, Report } from './report/report.js';
export { isRuleName, rules as reportRules } from './report/rules/table.js';
export { textParts } from './report/text-table.js';
export type { ReplayOptions, ReplayVerdict } from './engine/recording/replay.js';
export type { EngineHookOptions } from './engine/hooks/hook-options.js';
export type { HookOptions, HookOwner, HookResult, Hooks } from './engine/hooks/hooks.js';
export type { HookReport } from './hooks/chain.js';
export { HOOK_NAMES } from './hooks/names.js';
export type { HookDialect, HookName } from './hooks/names.js';
export type { CallResult } from './engine/call/result.js';
export type { EntryStatus, PluginStatus, SecretStatus } from './engine/plugins/status.js';
export type { Guarantee, WallName } from './guests/walls.js';
export type { IdentityOptions } from './remotes/identity.js';
export type { McpRemoteOptions } from './remotes/mcp/options.js';
export type { RemoteOptions } from './remotes/open.js';
export type { VertesiaRemoteOptions } from './remotes/vertesia/options.js';
export { explainPermissions } from './permissions/explain.js';
export { readPermissions } from './permissions/from-references.js';
export type { Permissions } from './permissions/kind.js';
export { textOf } from './plugin/answer.js';
export type { ContentBlock, ToolAnswer } from './plugin/answer.js';
export type { Plugin } from './plugin/plugin.js';
export type { RiskBand } from './plugin/risk.js';
export type { Json, JsonObject } from '../sandbox/wire/messages.js';
export { suggestPermissions } from './suggest/suggest.js';
export type {
  OpenQuestion,
  SuggestedItem,
  SuggestedPermissions,
  Suggestion,
} from './suggest/suggestion.js';
