export { createEngine } from './engine/engine.js';
export { BulkheadError, isBulkheadError } from './errors.js';
export type { BuildProblem, ErrorCode, ErrorDetails } from './errors.js';
export type { BulkheadEvent, EventListener } from './events.js';
export type { Approver, ApprovalRequest, Verdict } from './approval/approver.js';
export type { RiskPolicy } from './approval/risk.js';
export type { Tolerance } from './approval/tolerance.js';
export type { SecretBinding } from './brokers/network/secrets/binding.js';
export type { SecretPlace } from './brokers/network/secrets/secret.js';
export type { Catalog, CatalogTool, ToolAnnotations } from './catalog/catalog.js';
export type { Engine } from './engine/engine-api.js';
export type { EngineLimits } from './engine/limits.js';
export type {
  CallOptions,
  EngineOptions,
  GrantPolicy,
  Logger,
  NetworkOptions,
  PluginConfig,
  PluginGrant,
  PluginSecrets,
} from './engine/options.js';
export type { EngineHookOptions } from './engine/hook-options.js';
export type { HookOptions, HookOwner, HookResult, Hooks } from './engine/hooks.js';
export type { HookReport } from './hooks/chain.js';
export type { HookDialect, HookName } from './hooks/names.js';
export type { CallResult, ContentBlock } from './engine/result.js';
export type { EntryStatus, PluginStatus, SecretStatus } from './engine/status.js';
export type { Guarantee, WallName } from './guests/walls.js';
export { explainPermissions } from './permissions/explain.js';
export type { Permissions } from './permissions/kind.js';
export type { Plugin } from './plugin/plugin.js';
export type { RiskBand } from './plugin/risk.js';
export type { Json, JsonObject } from '../sandbox/wire/messages.js';
