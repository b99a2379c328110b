/**
 * Runs untrusted plugins: what an embedder needs on the first day. Other entry points: `bulkhead/lock`,
 * `/approval`, `/audit`, `/report`, `/agent`, `/council`, `/metrics`, `/vertesia`, `/mcp`, `/openai`
 * and `/anthropic`.
 */
export { type Agent, createEngine, type Engine } from './agent/agent.js';
export type { AgentOptions, TurnInput, TurnResult } from './agent/options.js';
export type { CoreTool, CoreToolContext, CoreToolResult } from './engine/types/core-tool.js';
export type { Collision, ToolSource } from './catalog/precedence.js';
export {
  type BuildProblem,
  BulkheadError,
  type ErrorCode,
  type ErrorDetails,
  isBulkheadError,
} from './errors.js';
export type { BulkheadEvent, EventListener } from './events.js';
export type {
  Answer,
  ApprovalRequest,
  Approver,
  HeldRequest,
  StoredQuestion,
  Verdict,
} from './approval/approver.js';
export type { EffectMode, Tolerance, ToolPolicy } from './approval/policy.js';
export type { Condition, Rule } from './approval/rule.js';
export type { RuleBook } from './approval/rule-book.js';
export type { Stop, StopNote, Stops, StopTarget } from './stops/stop.js';
export type { CallDecision } from './engine/call/admission.js';
export type { CallStreamEvent, StreamOptions } from './engine/call/stream.js';
export type {
  ProgramCall,
  ProgramOptions,
  ProgramResult,
  Programs,
  ProgramStatus,
} from './engine/programs/program.js';
export type { FilesOptions, OpenPluginFile, PluginFile, PluginFiles } from './engine/files.js';
export type { CallProgress } from './remotes/remote.js';
export type { CallResult, StoppedEffect } from './engine/types/result.js';
export type { Audit } from './audit/audit.js';
export type { AuditOptions } from './audit/options.js';
export type { RiskPolicy } from './approval/risk.js';
export type { PowerContext, PowerDefinition } from './brokers/powers/host-powers.js';
export type { SecretBinding, SecretPlace } from './brokers/network/secrets/secret.js';
export type { Catalog, CatalogTool, ToolAnnotations } from './catalog/catalog.js';
export type { Credentials, CredentialSource, CredentialStore } from './engine/types/credentials.js';
export type { SpindleHost } from './formats/spindle/engine/spindle-host.js';
export type { EngineLimits } from './engine/types/limits.js';
export type { PackageGrant, PackageOptions } from './engine/types/package-options.js';
export type {
  CallOptions,
  EngineOptions,
  GrantPolicy,
  Logger,
  NetworkOptions,
  PluginConfig,
  PluginGrant,
  Isolation,
  ReplicaOptions,
  PluginSecrets,
} from './engine/types/options.js';
export type { CallRecording } from './engine/types/recording.js';
export type { ReplayOptions, ReplayVerdict } from './engine/recording/replay.js';
export type { EngineHookOptions } from './engine/types/hook-options.js';
export type { HookOptions, HookOwner, HookResult, Hooks } from './engine/hooks/hooks.js';
export type { HookReport } from './engine/hooks/chain.js';
export { HOOK_NAMES, type HookName, type HookSemantics } from './plugin/hooks.js';
export type {
  EntryStatus,
  PluginAgent,
  PluginStatus,
  SecretStatus,
} from './engine/types/status.js';
export type { Guarantee } from './guests/walls/guarantees.js';
export type { WallName } from './guests/walls/wall-names.js';
export type { IdentityOptions } from './remotes/identity.js';
export type {
  McpPowers,
  McpRemoteOptions,
  OAuthOptions,
  RemoteLogin,
  RemoteOptions,
  VertesiaRemoteOptions,
} from './remotes/remote.js';
export type { CallClient, LogLevel, ServerLogMessage } from './plugin/call-client.js';
export type { McpList, McpNotice, McpOffers, McpQuestion, McpSource } from './plugin/mcp-source.js';
export { explainPermissions } from './permissions/permissions.js';
export { readPermissions } from './permissions/reference.js';
export type { Permissions } from './permissions/kind.js';
export { type ContentBlock, textOf, type ToolAnswer } from './plugin/answer.js';
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
